import { describe, expect, test } from 'vitest'
import { describeFee, describeSettlement, parseNumber, simulate } from './fees.ts'

const PIX = { method: 'PIX', percent: 0.99, fixed_cents: 0, settlement_days: 0 }
const CARD = { method: 'Cartão', percent: 2.99, fixed_cents: 39, settlement_days: 14 }
const FEES = [PIX, CARD]

test.each([
  ['50.000', 50_000],
  ['1.234.567,89', 1_234_567.89],
  ['49,90', 49.9],
  ['49.90', 49.9],
  ['R$ 1.000', 1_000],
  ['4,99%', 4.99],
  ['0', 0],
  ['', null],
  ['dez', null],
  ['-5', null],
  ['1e9', null],
  ['1,2,3', null],
])('reads %s as %s', (text, number) => {
  expect(parseNumber(text)).toBe(number)
})

test.each([
  [PIX, '0,99%', 'No mesmo dia'],
  [CARD, '2,99% + R$\u00a00,39', 'Em 14 dias'],
  [{ ...PIX, percent: 0, fixed_cents: 50, settlement_days: 1 }, 'R$\u00a00,50 por venda', 'Em 1 dia'],
  [{ ...PIX, percent: 0 }, 'Sem taxa', 'No mesmo dia'],
])('describes a fee %#', (fee, price, days) => {
  expect([describeFee(fee), describeSettlement(fee)]).toEqual([price, days])
})

describe('the simulator', () => {
  test('adds the percentage and the fixed part of each sale, beside what is paid today', () => {
    const { result, errors } = simulate(FEES, 'volume=50.000&tiquete=50&meio=Cart%C3%A3o&hoje=4%2C99')
    expect(errors).toEqual({})
    // 1,000 sales: 2.99 % of R$ 50,000 and 39 cents each.
    expect(result).toEqual({ fee: CARD, volume: 50_000, sales: 1_000, cost: 188_500, today: 249_500 })
  })

  test('needs no rate of today', () => {
    expect(simulate(FEES, 'volume=100&tiquete=10&meio=PIX&hoje=').result).toMatchObject({
      cost: 99,
      today: null,
    })
  })

  test('is an empty form without a query, or with one that is not its own', () => {
    for (const query of ['', 'utm_source=x'])
      expect(simulate(FEES, query)).toMatchObject({ errors: {}, result: null })
  })

  test('names each bad field and keeps what was typed', () => {
    const { errors, values, result } = simulate(FEES, 'volume=muito&tiquete=0&meio=Cheque&hoje=200')
    expect(Object.keys(errors)).toEqual(['volume', 'ticket', 'method', 'today'])
    expect(values).toEqual({ volume: 'muito', ticket: '0', method: 'Cheque', today: '200' })
    expect(result).toBeNull()
  })

  test('refuses a sale larger than the month', () => {
    expect(Object.keys(simulate(FEES, 'volume=10&tiquete=11&meio=PIX').errors)).toEqual(['ticket'])
  })
})
