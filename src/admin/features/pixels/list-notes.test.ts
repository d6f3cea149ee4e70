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

test('hosts of one vendor are one line, where the first of them stood', () => {
  expect(keys([stopped('a'), stopped('b'), other('placeholder')], [line('a', 'b')])).toEqual([
    'a,b',
    'placeholder',
  ])
})

test('what keeps everything from running stays before what was stopped', () => {
  expect(keys([other('nothing_runs')], [line('a')])).toEqual(['nothing_runs', 'a'])
})

test('a stopped host of no line is not lost, nor is a reason without a host', () => {
  expect(keys([stopped('c'), other('stopped_by_policy')], [])).toEqual([
    'stopped_by_policy',
    'stopped_by_policy',
  ])
})
