import { expect, test } from 'vitest'
import { displayedCode } from './code.tsx'

test.each([
  [{ name: 'Principal', pixel_id: '123', code: '<b></b>' }, '<b></b>'],
  [{ name: 'Principal', pixel_id: '123', code: '' }, '<!-- Principal: 123 -->'],
  [{ name: 'Chat', pixel_id: null, code: '  \n' }, '<!-- Chat -->'],
  [{ name: '--><script>', pixel_id: null, code: '' }, '<!-- - -><script> -->'],
])('%o', (pixel, code) => {
  expect(displayedCode(pixel)).toBe(code)
})
