import { expect, test } from 'vitest'
import {
  CONSENT_TEXT_VERSION,
  countsOnText,
  EMAIL_RECIPIENTS,
  formatConsent,
  fromLetters,
  parseConsent,
  recipientsNamedBy,
  textVersionFor,
  toLetters,
} from './consent-choice.ts'

/** The text that names Meta alone. */
const META_TEXT = textVersionFor(['meta'])

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
  [META_TEXT, CONSENT_TEXT_VERSION, true],
  [META_TEXT, META_TEXT, true],
  [CONSENT_TEXT_VERSION, META_TEXT, false],
  [0, CONSENT_TEXT_VERSION, false],
  [999, CONSENT_TEXT_VERSION, false],
  [textVersionFor(['tiktok']), META_TEXT, false],
  [META_TEXT, textVersionFor(['tiktok']), false],
  [textVersionFor(['tiktok', 'meta']), META_TEXT, true],
  [META_TEXT, textVersionFor(['meta', 'tiktok']), false],
  [textVersionFor(EMAIL_RECIPIENTS), textVersionFor(['linkedin']), true],
  [textVersionFor(EMAIL_RECIPIENTS) + 1, CONSENT_TEXT_VERSION, false],
])('a choice on text %i where %i is needed counts: %s', (chosen, needed, expected) => {
  expect(countsOnText(chosen, needed)).toBe(expected)
})

test('the text that names Meta alone keeps its version, and a text names what its version says', () => {
  expect(META_TEXT).toBe(4)
  expect(recipientsNamedBy(textVersionFor(['linkedin', 'tiktok']))).toEqual(['tiktok', 'linkedin'])
  for (const version of [CONSENT_TEXT_VERSION, 2, 999]) expect(recipientsNamedBy(version)).toEqual([])
})
