import { expect, test } from 'vitest'
import { checkPassword } from './check-password.ts'

const PERSONAL = ['joana.prado@exemplo.com.br', 'Pórtico']

test.each([
  ['short', 'Xk9#mPq', 'length'],
  ['digits in a row', '12345678', 'pwned'],
  ['a common word', 'minhasenha', 'pwned'],
  ['a common word, dressed up', 'S3nh@2026', 'pwned'],
  ['a word and a year', 'Brasil2026!', 'pwned'],
  ['the first word of every policy', 'Mudar@123', 'pwned'],
  ['the brand', 'Portico@123', 'pwned'],
  ['the own name', 'joanaprado', 'pwned'],
  ['one key', 'aaaaaaaaaaaa', 'characters'],
  ['a repeated pair', 'abababababab', 'characters'],
  ['a date', '20101990', 'characters'],
])('%s is weak: %s', async (_what, password, reason) => {
  await expect(checkPassword(password, PERSONAL)).rejects.toMatchObject({
    status: 422,
    code: 'weak_password',
    details: { reasons: [reason] },
  })
})

test.each([
  'xK9#mPq2',
  'girassol91tambor',
  'ponte-lilas-grafite-58',
  'çãé-über-ĳ-99',
  'q'.concat('7x-Z'.repeat(31)),
])('%s is good', async (password) => {
  await expect(checkPassword(password, PERSONAL)).resolves.toBeUndefined()
})

test('129 characters are too many', async () => {
  await expect(checkPassword('x7-Zq'.repeat(26), PERSONAL)).rejects.toMatchObject({
    status: 400,
    code: 'validation_failed',
  })
})
