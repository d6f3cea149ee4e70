import { expect, test } from 'vitest'
import { redirectTarget } from './redirects.ts'

const ORIGINS = ['https://painel.portico.example']

test.each([
  ['https://painel.portico.example/admin', 'https://painel.portico.example/admin'],
  ['https://painel.portico.example/admin/usuarios?x=1#y', 'https://painel.portico.example/admin/usuarios'],
  ['https://painel.portico.example/', null],
  ['https://painel.portico.example/administrator', null],
  ['https://painel.portico.example/admin/../', null],
  ['https://painel.portico.example.evil.test/admin', null],
  ['https://user@painel.portico.example/admin', null],
  ['http://painel.portico.example/admin', null],
  ['//evil.test/admin', null],
  ['/admin', null],
  ['javascript:alert(1)//admin', null],
  [undefined, null],
])('%s → %s', (asked, target) => {
  expect(redirectTarget(ORIGINS, asked)).toBe(target)
})
