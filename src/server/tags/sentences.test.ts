import { describe, expect, test } from 'vitest'
import { UNKNOWN_VENDOR } from '#server/vendors/marks.ts'
import { type ActivityFacts, SENTENCES } from '../activity/sentences.ts'
import { HEALTH_WORDS } from './health/health.ts'
import { TEST_WORDS } from './test-visits/verdict.ts'

/** An unfilled placeholder, a doubled word, a wrong contraction, or signs where two sentences were joined. */
const BROKEN =
  /undefined|null|NaN|\[object|\{|\}|\b(\p{L}+) \1\b|\b(?:de|em|por|a) [oa]s? (?:sua|seu|plataforma)| [.,;:]|\.\.|: *\.|\( *\)| {2}/iu
const PLURAL_OF_ONE =
  /(?<![\d.,])1 (?:visitas|dias|eventos|endereços|domínios|hosts|vezes|envios|navegadores)\b/
const SINGULAR_OF_MANY = /(?<![\d.,])[02] (?:visita|dia|evento|endereço|domínio|host|vez|envio|navegador)\b/

const BLOCKED = { id: '1', host: 'a.example', permit: 'set', pixel_ids: [], count: 1 }
const COUNTS = [0, 1, 2]
const VENDORS = ['Meta', UNKNOWN_VENDOR]

/** Values for a parameter of this name; every combination is tried. Null only where the source handles it. */
function valuesOf(parameter: string, source: string): readonly unknown[] {
  if (parameter === 'vendor') return VENDORS
  if (/^(id|host|error|message)$/.test(parameter)) {
    const isNullable = source.includes(`${parameter} === null`) || source.includes(`withId(${parameter})`)
    return isNullable ? ['G-1', null] : ['G-1']
  }
  if (/^is[A-Z]/.test(parameter)) return [true, false]
  if (parameter === 'warnings') return [[], [{ code: 'x', message: 'Um aviso.' }]]
  if (parameter.startsWith('{'))
    return COUNTS.flatMap((count) =>
      [true, false].map((flag) => ({
        ...BLOCKED,
        code: 'x',
        message: 'Um aviso.',
        isProved: flag,
        known: flag ? BLOCKED : undefined,
        state: flag ? 'paused' : 'warned',
        reason: flag ? 'failing' : 'slow',
        tripped_at: '2026-11-17T12:00:00.000Z',
        failed: count,
        runs: count,
        slow: count,
        measured: count,
        visits: count,
      })),
    )
  return COUNTS
}

/** Names in the parameter list; a destructured one begins with a brace. */
function parametersOf(word: (...values: never[]) => unknown): string[] {
  const source = String(word)
  const list = source.startsWith('(')
    ? source.slice(1, source.indexOf(') =>'))
    : (source.split(' =>')[0] ?? '')
  return list
    .replace(/\{[^}]*\}/g, '{}')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function everyResult(word: (...values: never[]) => unknown): unknown[] {
  const combinations = parametersOf(word).reduce<unknown[][]>(
    (made, parameter) =>
      made.flatMap((values) => valuesOf(parameter, String(word)).map((value) => [...values, value])),
    [[]],
  )
  return combinations.map((values) => {
    const result = (word as (...all: unknown[]) => unknown)(...values)
    return typeof result === 'function' ? (result as (host: unknown) => unknown)(BLOCKED) : result
  })
}

function textsOf(result: unknown): string[] {
  const { code, health, kind, ...texts } = result as Record<string, unknown>
  return Object.values(texts).flatMap((value) =>
    typeof value === 'string' ? [value] : value !== null && typeof value === 'object' ? textsOf(value) : [],
  )
}

const faultsOf = (texts: readonly string[]) =>
  texts.filter((text) => BROKEN.test(text) || PLURAL_OF_ONE.test(text) || SINGULAR_OF_MANY.test(text))

describe.each([
  ['health', HEALTH_WORDS],
  ['tests', TEST_WORDS],
])('sentences of %s', (_name, words) => {
  test.each(Object.entries(words))('%s is complete with 0, 1 and 2 of each thing', (_word, compose) => {
    const texts = everyResult(compose as () => unknown).flatMap(textsOf)
    expect(texts.length).toBeGreaterThan(0)
    expect(faultsOf(texts)).toEqual([])
  })
})

test.each(Object.entries(SENTENCES))('the activity %s is complete', (_action, { say }) => {
  const facts: ActivityFacts[] = [null, 'Loja'].flatMap((name) =>
    [[], ['a.example'], ['a.example', 'b.example']].flatMap((hosts) =>
      [true, false].map((flag) => ({
        name,
        isSelf: flag,
        wasActive: flag,
        isActive: !flag,
        isSwitchOnly: flag,
        isRestored: flag,
        oldRole: flag ? 'admin' : null,
        newRole: flag ? 'super_admin' : null,
        oldEmail: flag ? 'ana@exemplo.com.br' : null,
        newEmail: flag ? 'bia@exemplo.com.br' : null,
        typedEmail: flag ? 'ana@exemplo.com.br' : null,
        askedEmail: flag ? 'bia@exemplo.com.br' : null,
        hosts,
      })),
    ),
  )
  const texts = facts.map(say)
  expect(faultsOf(texts)).toEqual([])
  expect(texts.filter((text) => text.trim() !== text || text === '')).toEqual([])
})
