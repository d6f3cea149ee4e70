import { expect, test } from 'vitest'
import { roleLabel } from './accounts.ts'

test.each([
  ['admin', 'Admin'],
  ['super_admin', 'Super Admin'],
  ['leitor', 'Usuário'],
  ['', 'Usuário'],
])('role %j is called %s', (role, label) => {
  expect(roleLabel(role)).toBe(label)
})
