import { expect, test } from 'vitest'
import { identifyClick, type ServerCookie, type Visit } from './destination.ts'

const COOKIE: ServerCookie = { name: 'portico_click', days: 90, purpose: '', category: 'marketing' }
const visit = (clickIds: Record<string, string>, header = ''): Visit => ({
  header,
  host: 'www.exemplo.com.br',
  isSecure: true,
  now: 0,
  clickIds,
  scriptOnPage: false,
})
const kept = (value: string) => [
  `portico_click=${value}; Path=/; Max-Age=7776000; SameSite=Lax; Secure; HttpOnly`,
]

test.each<[string, Visit, Record<string, string>, string[]]>([
  ['the click of the address', visit({ epik: 'dj0yJnU9' }), { epik: 'dj0yJnU9' }, kept('epik.dj0yJnU9')],
  ['an earlier click', visit({}, 'portico_click=epik.dj0+/=.x'), { epik: 'dj0+/=.x' }, kept('epik.dj0+/=.x')],
  [
    'the newer of two',
    visit({ wbraid: 'new' }, 'portico_click=gclid.old'),
    { wbraid: 'new' },
    kept('wbraid.new'),
  ],
  ['the first kind of several', visit({ gclid: 'g', wbraid: 'w' }), { gclid: 'g' }, kept('gclid.g')],
  ['the one that the vendor’s script kept', visit({}, '_epik=abc'), { epik: 'abc' }, []],
  ['nothing for a broken cookie', visit({}, 'portico_click=x y; _epik=a,b'), {}, []],
  ['nothing without a click', visit({}), {}, []],
])('identifies a visitor by %s', (_what, given, values, cookies) => {
  expect(identifyClick(given, COOKIE, { epik: '_epik' })).toEqual({ values, cookies })
})
