import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyCharacter } from '../support/any-character.ts'
import { type DataApp, startDataApp } from '../support/data-app.ts'
import { ENGINES } from '../support/engines.ts'

const RUNS = 1000

/** Words of the grammar, of SQL and random ones, so that the result is often almost valid. */
const word = fc.oneof(
  fc.constantFrom(
    ...['id', 'name', 'type', 'code', 'is_active', 'created_at', 'allowed_hosts', 'password_hash', 'role'],
    ...['eq.', 'neq.', 'not.', 'is.', 'in.', 'like.', 'ilike.', 'or', 'and', 'null', 'true', '*', '::', ':'],
    ...[
      '(',
      ')',
      ',',
      '.',
      '"',
      '\\',
      '%',
      "'",
      '--',
      ';',
      '->>',
      '$1',
      '?',
      '[',
      '{',
      '}',
      '\u0000',
      '\ud800',
    ],
    ...['2026-11-15', '00000000-0000-4000-8000-000000000001', 'select', 'union all', "' or 1=1 --", '1e999'],
  ),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.integer().map(String),
)
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''))
const key = fc.oneof(
  fc.constantFrom(
    'select',
    'order',
    'limit',
    'offset',
    'columns',
    'on_conflict',
    'or',
    'and',
    'not.or',
    'id',
    'name',
  ),
  text,
)
const encode = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll('%25', '%')
const search = fc
  .array(fc.tuple(key, text), { maxLength: 5 })
  .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'))
const printable = fc.array(word, { maxLength: 4 }).map((words) => words.join('').replace(/[^\x20-\x7e]/g, ''))
const body = fc.oneof(
  fc.constant(''),
  text,
  fc.json(),
  fc
    .dictionary(
      fc.oneof(fc.constantFrom('name', 'type', 'pixel_id', 'code', 'is_active', 'id', '__proto__'), text),
      fc.jsonValue(),
    )
    .map((row) => JSON.stringify(row)),
  fc
    .array(fc.record({ name: fc.jsonValue(), type: fc.constantFrom('meta', 'custom', 1) }))
    .map((rows) => JSON.stringify(rows)),
)
const request = fc.record({
  method: fc.constantFrom('GET' as const, 'POST' as const, 'PATCH' as const, 'DELETE' as const),
  table: fc.oneof(
    fc.constantFrom('tracking_pixels', 'tracking_pixels', 'admin_users'),
    text
      .map((name) => encodeURIComponent(name.slice(0, 10).toWellFormed()))
      // Would lead to another address.
      .filter((name) => name !== '..'),
  ),
  search,
  prefer: fc.oneof(
    fc.constantFrom(
      '',
      'return=representation',
      'resolution=merge-duplicates',
      'handling=strict',
      'count=exact',
    ),
    printable,
  ),
  accept: fc.oneof(fc.constantFrom('*/*', 'application/vnd.pgrst.object+json', 'text/csv'), printable),
  range: fc.oneof(fc.constant('0-3'), printable),
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: printable },
  ),
  body,
})

/** What would reveal internals: SQL, a stack, a driver's text, a secret. */
const BETRAYALS = [
  /\bselect "|\binsert into\b|\bupdate "|\bdelete from\b|\bfrom "|\bwhere "/,
  /SQLITE|sqlite|syntax error|kysely|node:|node_modules|\.ts:\d+|\n\s+at /,
  /argon2/,
]

describe.each(ENGINES)('malformed requests on %s', (engine) => {
  let data: DataApp
  beforeAll(async () => {
    data = await startDataApp(engine)
    const rows = [1, 2, 3].map((n) => ({ name: `n${n}`, type: 'custom' }))
    await data.call({ method: 'POST', url: '/rest/v1/tracking_pixels', payload: rows })
  })
  afterAll(() => data.close())

  test(`${RUNS} of them get the protocol's responses only`, async () => {
    const property = fc.asyncProperty(request, async (made) => {
      const url = `/rest/v1/${made.table}?${made.search}`
      const answer = await data.call({
        method: made.method,
        url,
        as: 'service',
        headers: { prefer: made.prefer, accept: made.accept, range: made.range, 'content-type': made.type },
        ...(made.method === 'GET' ? {} : { payload: made.body }),
      })
      expect(answer.statusCode, answer.body).toBeLessThan(500)
      if (answer.statusCode < 400) return
      const error = answer.json()
      expect(Object.keys(error).toSorted()).toEqual(['code', 'details', 'hint', 'message'])
      const asked = [url, decodeURIComponent(safe(url)), made.body, made.prefer, made.accept].join(' ')
      for (const betrayal of BETRAYALS) {
        const found = betrayal.exec(answer.body)?.[0]
        if (found !== undefined) expect(asked, answer.body).toContain(found)
      }
    })
    await fc.assert(property, { numRuns: RUNS })
  })
})

function safe(url: string): string {
  return url.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(/%[89a-f][0-9a-f]/gi, '')
}
