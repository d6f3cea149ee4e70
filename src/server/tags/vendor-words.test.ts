import { expect, test } from 'vitest'
import { HEALTH_WORDS } from './health/health-words.ts'
import { TEST_WORDS } from './testing/test-words.ts'
import { UNKNOWN_VENDOR } from './vendor-sources.ts'

/** Every sentence that names a vendor, with a vendor that nobody knows. */
function sentences(words: object): string[] {
  return Object.values(words).flatMap((word: unknown) => {
    if (typeof word !== 'function' || !/^\(?vendor\b/.test(String(word))) return []
    const made: unknown = word(UNKNOWN_VENDOR, '1', 1, 1)
    const said = typeof made === 'function' ? made({ id: '1', host: 'a.example', permit: 'set' }) : made
    return Object.values(said as object).filter((text): text is string => typeof text === 'string')
  })
}

test.each([
  ['health', HEALTH_WORDS],
  ['tests', TEST_WORDS],
])('%s: no sentence glues a preposition to an article', (_name, words) => {
  const all = sentences(words)
  expect(all.filter((text) => text.includes(UNKNOWN_VENDOR)).length).toBeGreaterThan(4)
  expect(all.filter((text) => /\b(?:de|em|por|a) [oa]s? (?:sua|seu|plataforma)/i.test(text))).toEqual([])
  expect(all.filter((text) => /undefined|null|\[object/.test(text))).toEqual([])
})
