import { expect, test } from 'vitest'
import { tabOf } from './routes.tsx'

test.each([
  ['/admin', 'pixels'],
  ['/admin/', 'pixels'],
  ['/admin/pixels', 'pixels'],
  ['/admin/usuarios', 'users'],
  ['/admin/usuarios/', 'users'],
  ['/admin/configuracoes', 'settings'],
  ['/admin/outra-coisa', 'pixels'],
  ['/admin/lixeira', 'pixels'],
  ['/admin/problemas', 'pixels'],
  ['/admin/inscricoes', 'pixels'],
  ['/admin/atividade', 'users'],
  ['/admin/atividade/', 'users'],
  ['/admin/pixels/0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e', 'pixels'],
  ['/admin/conta', undefined],
])('%s shows %s', (path, id) => {
  expect(tabOf(path)?.id).toBe(id)
})
