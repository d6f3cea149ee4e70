import { expect, test } from 'vitest'
import { tabOf } from './tabs.ts'

test.each([
  ['/admin', 'pixels'],
  ['/admin/', 'pixels'],
  ['/admin/pixels', 'pixels'],
  ['/admin/usuarios', 'users'],
  ['/admin/usuarios/', 'users'],
  ['/admin/configuracoes', 'settings'],
  ['/admin/outra-coisa', 'pixels'],
  ['/admin/conta', undefined],
])('%s shows %s', (path, id) => {
  expect(tabOf(path)?.id).toBe(id)
})
