import { expect, test } from 'vitest'
import {
  CONSENT_TEXT_VERSION,
  countsOnText,
  EMAIL_TEXT_VERSION,
  formatConsent,
  fromLetters,
  parseConsent,
  toLetters,
} from './consent-choice.ts'

const ID = '0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e'

test.each([
  [[], [], `1...${ID}`],
  [['desempenho'], ['desempenho', 'marketing'], `1.d.dm.${ID}`],
  [['marketing', 'desempenho', 'funcionalidade'], ['marketing'], `1.dfm.m.${ID}`],
] as const)('writes a choice of %o among %o as %s and reads it back', (granted, asked, text) => {
  const written = formatConsent({ textVersion: 1, granted: [...granted], asked: [...asked], id: ID })
  expect(written).toBe(text)
  const read = parseConsent(written)
  expect(read).toMatchObject({ textVersion: 1, id: ID })
  expect(toLetters(read?.granted ?? [])).toBe(toLetters(granted))
  expect(toLetters(read?.asked ?? [])).toBe(toLetters(asked))
})

test.each([
  '',
  'x',
  `1.e..${ID}`,
  `1.dfmd..${ID}`,
  `.d.d.${ID}`,
  '1.d.d.me@example.com',
  `1.d.d.${ID}.x`,
  `1.d.d.${'-'.repeat(36)}`,
  `1.d.d.${ID.replaceAll('-', 'a')}`,
  `${'9'.repeat(400)}.d.d.${ID}`,
])('rejects "%s"', (text) => {
  expect(parseConsent(text)).toBeNull()
})

test('ignores unknown letters', () => {
  expect(fromLetters('zmq')).toEqual(['marketing'])
})

test.each([
  [CONSENT_TEXT_VERSION, CONSENT_TEXT_VERSION, true],
  [EMAIL_TEXT_VERSION, CONSENT_TEXT_VERSION, true],
  [EMAIL_TEXT_VERSION, EMAIL_TEXT_VERSION, true],
  [CONSENT_TEXT_VERSION, EMAIL_TEXT_VERSION, false],
  [0, CONSENT_TEXT_VERSION, false],
  [999, CONSENT_TEXT_VERSION, false],
])('a choice on text %i where %i is needed counts: %s', (chosen, needed, expected) => {
  expect(countsOnText(chosen, needed)).toBe(expected)
})
