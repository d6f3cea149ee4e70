import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { enrolTotp, matchTotp } from './totp.ts'

const NOW = Date.UTC(2026, 10, 15, 12, 0, 10)
const STEP = Math.floor(NOW / 30_000)
const { secret } = enrolTotp('Pórtico', 'ana@portico.example')
const codeAt = (step: number) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: step * 30_000, period: 30 })

describe('codes of an authenticator app', () => {
  test.each([
    ['now', 0],
    ['one step behind', -1],
    ['one step ahead', 1],
  ])('finds the step of a code of %s', (_name, delta) => {
    expect(matchTotp(secret, codeAt(STEP + delta), NOW)).toBe(STEP + delta)
  })

  test.each([-2, 2, 40])('refuses a code that is %i steps away', (delta) => {
    expect(matchTotp(secret, codeAt(STEP + delta), NOW)).toBeNull()
  })

  test('ignores spaces, and refuses other formats', () => {
    const code = codeAt(STEP)
    expect(matchTotp(secret, `${code.slice(0, 3)} ${code.slice(3)}`, NOW)).toBe(STEP)
    for (const wrong of ['', '12345', `${code}0`, 'abcdef', '-12345']) {
      expect(matchTotp(secret, wrong, NOW)).toBeNull()
    }
  })

  test("the address contains issuer, account and the protocol's parameters", () => {
    const uri = new URL(enrolTotp('Pórtico', 'ana@portico.example').uri)
    expect(`${uri.protocol}//${uri.host}`).toBe('otpauth://totp')
    expect(decodeURIComponent(uri.pathname)).toBe('/Pórtico:ana@portico.example')
    expect(uri.searchParams.get('issuer')).toBe('Pórtico')
    expect(uri.searchParams.get('algorithm')).toBe('SHA1')
    expect(uri.searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
  })
})
