import { expect, test } from 'vitest'
import { listedRedirect, withQuery } from './redirects.ts'

const CALLBACK = 'https://app.portico.example/auth/callback'
const LISTED = [CALLBACK, 'https://app.portico.example:8443/entrar', `${CALLBACK}?next=/conta`]

test.each([
  [CALLBACK, CALLBACK],
  ['HTTPS://APP.Portico.Example:443/auth/callback', CALLBACK],
  ['https:\\\\app.portico.example\\auth\\callback', CALLBACK],
  ['https://app.portico.example/x/../auth/callback', CALLBACK],
  [' https://app.portico.example/auth/call\nback', CALLBACK],
  ['https://app.portico.example:8443/entrar', 'https://app.portico.example:8443/entrar'],
  [`${CALLBACK}?next=%2Fconta`, `${CALLBACK}?next=/conta`],
  [`${CALLBACK}?sb_flow_id=0123abcd`, `${CALLBACK}?sb_flow_id=0123abcd`],
  [`${CALLBACK}?next=/conta&sb_flow_id=0123abcd`, `${CALLBACK}?next=%2Fconta&sb_flow_id=0123abcd`],
])('%j matches the listed %s', (asked, target) => {
  expect(listedRedirect(LISTED, asked)).toBe(target)
})

test.each([
  undefined,
  '',
  '/auth/callback',
  '//app.portico.example/auth/callback',
  'http://app.portico.example/auth/callback',
  'https://app.portico.example/auth/Callback',
  'https://app.portico.example/auth/callback/',
  'https://app.portico.example/auth/callback/x',
  'https://app.portico.example/auth/callback%2F',
  'https://app.portico.example/%61uth/callback',
  'https://app.portico.example//auth/callback',
  'https://app.portico.example/auth/callback;x',
  'https://app.portico.example:444/auth/callback',
  'https://app.portico.example./auth/callback',
  'https://app.portico.example.evil.test/auth/callback',
  'https://evil.test/https://app.portico.example/auth/callback',
  'https://app.portico.example@evil.test/auth/callback',
  'https://app.portico.example\\@evil.test/auth/callback',
  'https://evil.test\\@app.portico.example/auth/callback',
  'https://user@app.portico.example/auth/callback',
  'https://:pw@app.portico.example/auth/callback',
  'https://evil.test#@app.portico.example/auth/callback',
  `${CALLBACK}#x`,
  `${CALLBACK}?next=//evil.test`,
  `${CALLBACK}?next=/conta&next=//evil.test`,
  `${CALLBACK}?sb_flow_id=short`,
  `${CALLBACK}?sb_flow_id=0123abcd&sb_flow_id=4567abcd`,
  `${CALLBACK}?sb_flow_id=${'x'.repeat(65)}`,
  `${CALLBACK}?sb_flow_id=0123%0d%0aabcd`,
  'javascript:alert(1)//app.portico.example/auth/callback',
  'data:text/html,x',
  'blob:https://app.portico.example/auth/callback',
])('%j matches none', (asked) => {
  expect(listedRedirect(LISTED, asked)).toBeNull()
  expect(listedRedirect([], CALLBACK)).toBeNull()
})

test('replaces a code that was there', () => {
  expect(withQuery(`${CALLBACK}?code=old&code=older`, { code: 'new' })).toBe(`${CALLBACK}?code=new`)
})
