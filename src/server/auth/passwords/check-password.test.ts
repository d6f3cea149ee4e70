import { expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { checkPassword } from './passwords.ts'

const PERSONAL = ['joana.prado@exemplo.com.br', 'Pórtico']

test.each([
  ['short', 'Xk9#mPq', 'length'],
  ['digits in a row', '12345678', 'pwned'],
  ['a common word', 'minhasenha', 'pwned'],
  ['a common word, dressed up', 'S3nh@2026', 'pwned'],
  ['a word and a year', 'Brasil2026!', 'pwned'],
  ['the first word of every policy', 'Mudar@123', 'pwned'],
  ['a word of every language', 'chocolate1', 'pwned'],
  ['a bank', 'bradesco1', 'pwned'],
  ['another bank', 'nubank123', 'pwned'],
  ['a game', 'pokemon123', 'pwned'],
  ['a club', 'corinthians1', 'pwned'],
  ['a Portuguese word', 'cachoeira9', 'pwned'],
  ['a row of keys', 'qwertyuiop12', 'pwned'],
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
  'vH3-pQ8-mZ1-tK6-'.concat('7x-Z'.repeat(28)),
])('%s is good', async (password) => {
  await expect(checkPassword(password, PERSONAL)).resolves.toBeUndefined()
})

test('refuses 129 characters', async () => {
  await expect(checkPassword('x7-Zq'.repeat(26), PERSONAL)).rejects.toMatchObject({
    status: 400,
    code: 'validation_failed',
  })
})

test('writes its row of docs/reports/attacks.md', async () => {
  const refused: string[] = []
  for (const password of ['chocolate1', 'bradesco1', 'pokemon123', 'nubank123', 'corinthians1'])
    await checkPassword(password, PERSONAL).catch(() => refused.push(`\`${password}\``))
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'B11b',
    'common passwords and Portuguese words, followed by a digit or a year',
    `refused: ${refused.join(', ')}; checked in a short-lived thread`,
    '`src/server/auth/passwords/check-password.test.ts`',
  ])
})
