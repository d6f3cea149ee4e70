import { expect, test } from 'vitest'
import { dropUnusedProperties } from './build-output.ts'

test.each([
  [
    'keeps what is read',
    ':root{--a:1px;--b:2px}p{margin:var(--a)var(--b)}',
    ':root{--a:1px;--b:2px}p{margin:var(--a)var(--b)}',
  ],
  ['drops what is not', ':root{--a:1px;--b:2px}p{margin:var(--a)}', ':root{--a:1px;}p{margin:var(--a)}'],
  ['drops what only the dropped read', ':root{--a:1px;--b:var(--a)}p{margin:0}', ':root{}p{margin:0}'],
  ['leaves classes with two dashes alone', '.x--y:hover{color:red}', '.x--y:hover{color:red}'],
])('%s', (_name, css, expected) => {
  expect(dropUnusedProperties(css)).toBe(expected)
})
