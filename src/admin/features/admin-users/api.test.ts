import { expect, test } from 'vitest'
import type { AdminUser } from '#contract/accounts.ts'
import { adminUserFormSchema } from './api.ts'

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
} satisfies AdminUser
/** Made before today's rule for addresses. */
const JOSE = {
  id: 'x',
  email: 'josé@portico.example',
  role: 'admin',
  is_principal: false,
  created_at: '',
  updated_at: '',
}
const ASKED = ['Para alterar sua própria conta, digite sua senha atual.']

test.each<[string, AdminUser | null, Record<string, string>, string[]]>([
  ['a complete form', null, form, []],
  ['no password for a new user', null, { ...form, password: '' }, ['Digite uma senha.']],
  ['no password on edit: the old one stays', JOSE, { ...form, password: '' }, []],
  ['a short password', JOSE, { ...form, password: '1234567' }, ['Use de 8 a 128 caracteres.']],
  ['a very long password', null, { ...form, password: 'x'.repeat(129) }, ['Use de 8 a 128 caracteres.']],
  ['an old e-mail that stays', JOSE, { ...form, email: ' José@portico.example' }, []],
  ['an old e-mail for a new user', null, { ...form, email: JOSE.email }, ['Digite um e-mail válido.']],
  ['an e-mail without a dot', null, { ...form, email: 'ana@portico' }, ['Digite um e-mail válido.']],
])('%s', (_name, opened, values, messages) => {
  const result = adminUserFormSchema({ opened, isSelf: false }).safeParse(values)
  expect(result.error?.issues.map((issue) => issue.message) ?? []).toEqual(messages)
})

test.each([
  ['nothing', { password: '' }, []],
  ['the password', {}, ASKED],
  ['the address', { password: '', email: 'nova@portico.example' }, ASKED],
  ['the role', { password: '', role: 'super_admin' }, ASKED],
  ['the password, with the current one', { current_password: 'a de agora' }, []],
])('own account: changing %s', (_what, change, messages) => {
  const schema = adminUserFormSchema({ opened: ana, isSelf: true })
  const result = schema.safeParse({ ...form, ...change })
  expect(result.error?.issues.map((issue) => issue.message) ?? []).toEqual(messages)
})
