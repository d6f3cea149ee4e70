import { expect, test } from 'vitest'
import { toDecimal } from '#contract/currencies.ts'
import { type Outcome, readOutcome } from './read-outcome.ts'

const NOW = Date.parse('2026-11-18T12:00:00.000Z')
const NAMES = new Set(['primeira_venda', 'conta_aprovada'])
const HASH = 'a'.repeat(64)

function accepted(item: object): Outcome {
  const read = readOutcome({ name: 'primeira_venda', id: 'pedido-1', ...item }, NAMES, NOW)
  if ('refusal' in read) throw new Error(JSON.stringify(read.refusal))
  return read.outcome
}

test('reads every field', () => {
  expect(
    accepted({
      visit: 'v_abc',
      value: '189.90',
      currency: 'BRL',
      time: '2026-11-18T08:00:00-03:00',
      email_sha256: HASH.toUpperCase(),
      email_sha256_google: HASH,
    }),
  ).toMatchObject({
    name: 'primeira_venda',
    id: 'pedido-1',
    visit: 'v_abc',
    value: { currency: 'BRL', amount: 18_990 },
    at: Date.parse('2026-11-18T11:00:00.000Z'),
    emailSha256: HASH,
    emailSha256Google: HASH,
  })
  expect(accepted({})).toMatchObject({ visit: null, value: null, at: NOW, emailSha256: null })
  expect(accepted({ visit: null, value: null, currency: null, time: null })).toMatchObject({ value: null })
})

test.each<[unknown, string, number]>([
  [189.9, 'BRL', 18_990],
  ['189.9', 'BRL', 18_990],
  ['0189.9000', 'BRL', 18_990],
  [0.1, 'USD', 10],
  [0, 'USD', 0],
  ['1.005', 'KWD', 1_005],
  [1500, 'JPY', 1_500],
  ['1500.00', 'JPY', 1_500],
  ['9999999999.99', 'BRL', 999_999_999_999],
])('%s %s is %s of the smallest unit', (value, currency, amount) => {
  expect(accepted({ value, currency }).value).toEqual({ currency, amount })
})

test.each<[string, unknown, string, string | undefined]>([
  ['a list', [[]], 'not_an_object', undefined],
  ['text', 'primeira_venda', 'not_an_object', undefined],
  ['null', null, 'not_an_object', undefined],
  ['a misspelt field', { curency: 'BRL' }, 'unknown_field', 'curency'],
  ['no name', { name: undefined }, 'missing_field', 'name'],
  ['a name that is a number', { name: 1 }, 'invalid_field', 'name'],
  ['an undeclared name', { name: 'primeira_vemda' }, 'unknown_name', 'name'],
  ['a name of every object', { name: 'constructor' }, 'unknown_name', 'name'],
  ['no id', { id: null }, 'missing_field', 'id'],
  ['an empty id', { id: '' }, 'invalid_field', 'id'],
  ['an id of 65 characters', { id: 'x'.repeat(65) }, 'invalid_field', 'id'],
  ['an id with a NUL', { id: 'a\u0000b' }, 'invalid_field', 'id'],
  ['an id with half a character', { id: 'a\ud800' }, 'invalid_field', 'id'],
  ['an id that is a number', { id: 48_213 }, 'invalid_field', 'id'],
  ['a visit that is an object', { visit: {} }, 'invalid_field', 'visit'],
  ['a visit that is too long', { visit: `v_${'x'.repeat(63)}` }, 'invalid_field', 'visit'],
  ['a value alone', { value: 1 }, 'missing_field', 'currency'],
  ['a currency alone', { currency: 'BRL' }, 'missing_field', 'value'],
  ['a negative value', { value: -1, currency: 'BRL' }, 'invalid_field', 'value'],
  ['a comma', { value: '189,90', currency: 'BRL' }, 'invalid_field', 'value'],
  ['an exponent', { value: '1e3', currency: 'BRL' }, 'invalid_field', 'value'],
  ['a sum of floats', { value: 0.1 + 0.2, currency: 'BRL' }, 'invalid_field', 'value'],
  ['cents of a currency without', { value: 1.5, currency: 'JPY' }, 'invalid_field', 'value'],
  ['too large a value', { value: '10000000000.00', currency: 'BRL' }, 'invalid_field', 'value'],
  ['a value that is an object', { value: {}, currency: 'BRL' }, 'invalid_field', 'value'],
  ['a currency in small letters', { value: 1, currency: 'brl' }, 'invalid_field', 'currency'],
  ['a currency of the past', { value: 1, currency: 'DEM' }, 'invalid_field', 'currency'],
  ['a time without a zone', { time: '2026-11-18T11:00:00' }, 'invalid_field', 'time'],
  ['a day that does not exist', { time: '2026-02-30T11:00:00Z' }, 'invalid_field', 'time'],
  ['a time as a number', { time: NOW }, 'invalid_field', 'time'],
  ['a time 90 days and a second ago', { time: '2026-08-20T11:59:59Z' }, 'too_old', 'time'],
  ['a time 5 minutes and a second ahead', { time: '2026-11-18T12:05:01Z' }, 'too_far_ahead', 'time'],
  ['a plain address', { email_sha256: 'ana@exemplo.com.br' }, 'invalid_field', 'email_sha256'],
  ['a short hash', { email_sha256_google: 'abc' }, 'invalid_field', 'email_sha256_google'],
])('refuses %s', (_what, change, code, field) => {
  const isObject = typeof change === 'object' && change !== null && !Array.isArray(change)
  const item = isObject ? { name: 'primeira_venda', id: 'pedido-1', ...change } : change
  expect(readOutcome(item, NAMES, NOW)).toMatchObject({
    refusal: { code, ...(field === undefined ? {} : { field }) },
  })
})

test('accepts the oldest and the latest time', () => {
  expect(accepted({ time: '2026-08-20T12:00:00Z' }).at).toBe(Date.parse('2026-08-20T12:00:00Z'))
  expect(accepted({ time: '2026-11-18T12:05:00Z' }).at).toBe(Date.parse('2026-11-18T12:05:00Z'))
})

test('content is equal however it is spelled, and differs with every field', () => {
  const hash = (item: object) => accepted(item).contentHash
  const sale = { value: '189.90', currency: 'BRL', time: '2026-11-18T08:00:00-03:00' }
  expect(hash({ ...sale, value: 189.9, time: '2026-11-18T11:00:00.000Z' })).toBe(hash(sale))
  expect(readOutcome({ id: 'pedido-1', name: 'primeira_venda' }, NAMES, NOW + 5_000)).toMatchObject({
    outcome: { contentHash: hash({}) },
  })
  const different: object[] = [
    {},
    { name: 'conta_aprovada' },
    { id: 'pedido-2' },
    { visit: 'v_a' },
    { value: 1, currency: 'BRL' },
    { value: 1, currency: 'USD' },
    { time: '2026-11-18T11:00:00Z' },
    { email_sha256: HASH },
    { email_sha256_google: HASH },
  ]
  expect(new Set(different.map(hash)).size).toBe(different.length)
})

test('sums become decimals without losing a digit', () => {
  expect(toDecimal(123_456_789_012_345_678_901n, 2)).toBe('1234567890123456789.01')
  expect(toDecimal(5n, 3)).toBe('0.005')
  expect(toDecimal(7n, 0)).toBe('7')
})
