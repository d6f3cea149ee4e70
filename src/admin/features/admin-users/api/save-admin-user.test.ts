import { expect, test } from 'vitest'
import { adminUserFormSchema } from './save-admin-user.ts'

const form = {
  email: 'ana@portico.example',
  password: 'uma senha longa',
  role: 'admin',
  current_password: '',
}
const ana = {
  id: 'x',
  email: form.email,
  role: form.role,
  is_principal: false,
  created_at: '',
  updated_at: '',
}
const ASKED = ['Digite sua senha atual para alterar a sua própria conta.']

test.each([
  ['a complete form', true, form, []],
  ['no password for a new user', true, { ...form, password: '' }, ['Digite uma senha.']],
  ['no password on edit: the old one stays', false, { ...form, password: '' }, []],
  ['a short password', false, { ...form, password: '1234567' }, ['Use de 8 a 128 caracteres.']],
  ['a very long password', true, { ...form, password: 'x'.repeat(129) }, ['Use de 8 a 128 caracteres.']],
  ['an e-mail without a dot', true, { ...form, email: 'ana@portico' }, ['Digite um e-mail válido.']],
])('%s', (_name, creating, values, messages) => {
  const result = adminUserFormSchema({ creating, self: null }).safeParse(values)
  expect(result.error?.issues.map((issue) => issue.message) ?? []).toEqual(messages)
})

test.each([
  ['nothing', { password: '' }, []],
  ['the password', {}, ASKED],
  ['the address', { password: '', email: 'nova@portico.example' }, ASKED],
  ['the role', { password: '', role: 'super_admin' }, ASKED],
  ['the password, with the current one', { current_password: 'a de agora' }, []],
])('of the own account: changing %s', (_what, change, messages) => {
  const schema = adminUserFormSchema({ creating: false, self: ana })
  const result = schema.safeParse({ ...form, ...change })
  expect(result.error?.issues.map((issue) => issue.message) ?? []).toEqual(messages)
})
