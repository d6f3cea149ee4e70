import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { enrolTotp, matchTotp } from './totp.ts'

const NOW = Date.UTC(2026, 10, 15, 12, 0, 10)
const STEP = Math.floor(NOW / 30_000)
const { secret } = enrolTotp('Pórtico', 'ana@portico.example')
const codeAt = (step: number) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: step * 30_000, period: 30 })

describe('the codes of an authenticator app', () => {
  test.each([
    ['now', 0],
    ['one step behind', -1],
    ['one step ahead', 1],
  ])('a code of %s is known by its step', (_name, delta) => {
    expect(matchTotp(secret, codeAt(STEP + delta), NOW)).toBe(STEP + delta)
  })

  test.each([-2, 2, 40])('a code that is %i steps away is refused', (delta) => {
    expect(matchTotp(secret, codeAt(STEP + delta), NOW)).toBeNull()
  })

  test('blanks are forgiven, other shapes are not', () => {
    const code = codeAt(STEP)
    expect(matchTotp(secret, `${code.slice(0, 3)} ${code.slice(3)}`, NOW)).toBe(STEP)
    for (const wrong of ['', '12345', `${code}0`, 'abcdef', '-12345']) {
      expect(matchTotp(secret, wrong, NOW)).toBeNull()
    }
  })

  test('the address names issuer, account and the parameters of the protocol', () => {
    const uri = new URL(enrolTotp('Pórtico', 'ana@portico.example').uri)
    expect(`${uri.protocol}//${uri.host}`).toBe('otpauth://totp')
    expect(decodeURIComponent(uri.pathname)).toBe('/Pórtico:ana@portico.example')
    expect(uri.searchParams.get('issuer')).toBe('Pórtico')
    expect(uri.searchParams.get('algorithm')).toBe('SHA1')
    expect(uri.searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
  })
})
