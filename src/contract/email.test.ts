import { describe, expect, test } from 'vitest'
import { isEmail, normalizeEmail } from './email.ts'
import { mayBeKnownEmail } from './known-email.ts'

const LABEL = 'a'.repeat(63)

describe('an address', () => {
  test.each([
    'ana@exemplo.com.br',
    '  Ana.Souza+lista@Exemplo.COM.br ',
    "o'brien@exemplo.com",
    '_a-b=c/d~e!#$%&*?^`{|}@exemplo.com',
    '1@2.co',
    'a@b.c',
    'ana@xn--aa-jiak.com.br',
    'ana@exemplo.xn--p1ai',
    `${'a'.repeat(64)}@exemplo.com`,
    `a@${LABEL}.com`,
    `a@${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(60)}`,
  ])('accepts %s', (email) => {
    expect(isEmail(email)).toBe(true)
    expect(normalizeEmail(email)).toBe(email.trim().toLowerCase())
  })
})

const ODD_BUT_STORED_ONCE = [
  'josé@exemplo.com.br',
  'а@b.co',
  'ana@ехаmple.com',
  'ana@açaí.com.br',
  'x\'"<b>@b.co',
  '"ana"@exemplo.com',
  '<ana@exemplo.com',
  'ana@exemplo.com>',
  'ana,bia@exemplo.com',
  'a;b@exemplo.com',
  'ana(x)@exemplo.com',
  'ana\\@exemplo.com',
  '.ana@exemplo.com',
  'ana.@exemplo.com',
  'a..b@exemplo.com',
  'ana@-exemplo.com',
  'ana@exemplo-.com',
  'ana@exemplo..com',
  'ana@exemplo_.com',
  'ana@192.0.2.1',
  'ana@[192.0.2.1].com',
  'ana@exemplo.com:25',
  'ana@exemplo.com/x',
  '\u212Aarl@exemplo.com',
  'ana\u200b@exemplo.com',
  `${'a'.repeat(65)}@exemplo.com`,
  `a@${LABEL}a.com`,
]

describe('what is not', () => {
  test.each([
    '',
    'ana',
    'ana@exemplo',
    '@exemplo.com',
    'a@na@exemplo.com',
    'ana b@exemplo.com',
    'ana@exemplo.com\r\nbcc:x@y.z',
    'an\u0000a@exemplo.com',
    `${'a'.repeat(249)}@ex.co`,
    `a@${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(61)}`,
  ])('neither accepts nor looks up %j', (text) => {
    expect(isEmail(text)).toBe(false)
    expect(mayBeKnownEmail(text)).toBe(false)
  })

  test.each(ODD_BUT_STORED_ONCE)('does not accept %j, but looks it up', (text) => {
    expect(isEmail(text)).toBe(false)
    expect(mayBeKnownEmail(text)).toBe(true)
  })
})
