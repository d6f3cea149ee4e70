import { expect, test } from 'vitest'
import { compileHere } from '#tests/support/compile-here.ts'
import { STAND_INS } from '#tests/support/vendor-stand-ins/stand-ins.ts'
import { VENDORS } from '../vendors/vendors.ts'
import { proposeRunsIn } from './preview.ts'

const propose = (code: string) =>
  proposeRunsIn('custom', compileHere({ type: 'custom', pixel_id: null, code }))

test.each([
  ["document.querySelector('form').addEventListener('submit', f)", 'lê ou muda elementos da página'],
  ["document.body.append(document.createElement('div'))", 'mostra elementos na página'],
  ["addEventListener('keydown', f)", 'acompanha cliques e digitação na página'],
  ["location.href = 'https://example.com'", 'muda o endereço da página ou abre janelas'],
  ['if (window.top === window) f()', 'verifica se está rodando direto na página'],
])('suggests the page for code that uses it: %s', (code, asked) => {
  expect(propose(`<script>${code}</script>`)).toEqual({ runs_in: 'page', reason: `Este código ${asked}.` })
})

test('suggests isolation for code that does not use the page', () => {
  const loader = `(function (d) { var s = d.createElement('script'); s.src = 'https://cdn.custom-vendor.com/t.js'
    d.getElementsByTagName('head')[0].appendChild(s) })(document); new Image().src = 'https://cdn.custom-vendor.com/p'`
  expect(propose(`<script>${loader}</script>`)?.runs_in).toBe('isolated')
  expect(propose('<img src="https://cdn.custom-vendor.com/p.gif">')?.runs_in).toBe('isolated')
})

test('follows the catalogue for known vendors, and prefers the page for two', () => {
  for (const { vendor, snippet, account } of STAND_INS) {
    const entry = VENDORS.find(({ id }) => id === vendor)
    expect([vendor, propose(snippet(account))?.runs_in]).toEqual([
      vendor,
      entry?.isolated === 'works' ? 'isolated' : 'page',
    ])
  }
  const snippet = (id: string) => STAND_INS.find(({ vendor }) => vendor === id)?.snippet('12345678') ?? ''
  expect(propose(snippet('kwai-pixel') + snippet('hotjar'))).toEqual({
    runs_in: 'page',
    reason: 'Hotjar grava o que acontece na página.',
  })
})

test('suggests nothing where there is no choice', () => {
  expect(propose('')).toBeNull()
  expect(propose('<meta name="google-site-verification" content="abc">')).toBeNull()
  const compiled = compileHere({ type: 'custom', pixel_id: null, code: '<script>f()</script>' })
  expect(proposeRunsIn('meta', compiled)).toBeNull()
})
