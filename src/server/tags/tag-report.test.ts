import { expect, test } from 'vitest'
import type { TagReport } from '#contract/tag-report.ts'
import { prepareTag } from './serve/prepare-tag.ts'
import { readVisit } from './tag-report.ts'

const pixel = (type: 'meta' | 'google_analytics', pixel_id: string) =>
  prepareTag(
    {
      id: pixel_id,
      type,
      pixel_id,
      allowed_hosts: [],
      consent_category: 'marketing',
      conversion_labels: {},
      compiled: {
        steps: [],
        head: [],
        warnings: [],
        vendors: [],
        kind: 'script',
        sources: { script: [], connect: [], image: [], frame: [], style: [], font: [], form: [], media: [] },
      } as never,
    },
    new Set(),
  )
const bad = pixel('meta', '111111111111111')
const good = pixel('meta', '222222222222222')
const analytics = pixel('google_analytics', 'G-ABC')
const members = new Map([bad, good, analytics].map((member) => [member.tag.id, member]))
const reportOf = (hit: 'none' | 'unknown' | undefined, id = good.tag.id): TagReport => ({
  results: [
    { id: bad.tag.id, outcome: 'ran', hit: 'none' },
    { id, outcome: 'ran', hit },
  ],
})

test.each<[string, TagReport, boolean]>([
  ['a browser that sees all', { ...reportOf('none'), sees_all: true }, true],
  ['one that does not', reportOf('none'), false],
  ['one that saw another account of the vendor', reportOf('unknown'), true],
  ['one that was left before', reportOf(undefined), false],
  ['one that saw another vendor', reportOf('unknown', analytics.tag.id), false],
])('%s', (_name, report, tells) => {
  expect(readVisit(report, members, () => false).absenceTells(bad)).toBe(tells)
  expect(readVisit(report, members, () => true).absenceTells(bad)).toBe(false)
})

test('keeps only public hosts, up to a limit per visit', () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`h${index}.com`, 'sent' as const]),
  )
  const { hosts } = readVisit({ results: [], hosts: { localhost: 'sent', ...many } }, members, () => false)
  expect(hosts).toHaveLength(99)
})
