import { expect, test } from 'vitest'
import type { HealthReason } from '#contract/tag-status.ts'
import { type BlockedLine, listNotes } from './health.ts'

const stopped = (host: string): HealthReason => ({
  code: 'stopped_by_policy',
  host,
  message: `barrou ${host}`,
})
const other = (code: string): HealthReason => ({ code, message: code })
const line = (...hosts: string[]) => ({ key: hosts.join(), hosts }) as BlockedLine
const keys = (reasons: HealthReason[], lines: BlockedLine[]) =>
  listNotes(reasons, lines).map((note) => (note.kind === 'blocked' ? note.key : note.reason.code))

test('groups hosts of one vendor at the position of the first', () => {
  expect(keys([stopped('a'), stopped('b'), other('placeholder')], [line('a', 'b')])).toEqual([
    'a,b',
    'placeholder',
  ])
})

test('keeps what stops everything before what was blocked', () => {
  expect(keys([other('nothing_runs')], [line('a')])).toEqual(['nothing_runs', 'a'])
})

test('keeps blocked hosts without a group, and reasons without a host', () => {
  expect(keys([stopped('c'), other('stopped_by_policy')], [])).toEqual([
    'stopped_by_policy',
    'stopped_by_policy',
  ])
})
