import { expect, test } from 'vitest'
import { adminUserFormSchema } from './save-admin-user.ts'

const form = { email: 'ana@portico.example', password: 'uma senha longa', role: 'admin' }

test.each([
  ['a complete form', true, form, []],
  ['no password for a new user', true, { ...form, password: '' }, ['Digite uma senha.']],
  ['no password on edit: the old one stays', false, { ...form, password: '' }, []],
  ['a short password', false, { ...form, password: '1234567' }, ['Use de 8 a 128 caracteres.']],
  ['a very long password', true, { ...form, password: 'x'.repeat(129) }, ['Use de 8 a 128 caracteres.']],
  ['an e-mail without a dot', true, { ...form, email: 'ana@portico' }, ['Digite um e-mail válido.']],
])('%s', (_name, creating, values, messages) => {
  const result = adminUserFormSchema(creating).safeParse(values)
  expect(result.error?.issues.map((issue) => issue.message) ?? []).toEqual(messages)
})
