import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { makeDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { toCsvLine } from '../http/requests.ts'
import { exportSubscriptions } from './subscriptions.ts'

test.each([
  ['plain text', 'ana@exemplo.com.br', 'ana@exemplo.com.br'],
  ['a comma', 'a,b', 'a,b'],
  ['a quotation mark', 'a"b', 'a""b'],
  ['a line break', 'a\nb', 'a\nb'],
  ['a formula', '=1+1@exemplo.com', "'=1+1@exemplo.com"],
  ['a plus', '+ana@exemplo.com', "'+ana@exemplo.com"],
  ['a minus', '-ana@exemplo.com', "'-ana@exemplo.com"],
  ['an at sign', '@sum(a1)', "'@sum(a1)"],
  ['a formula that needs quotes', '=cmd|"/c calc"!a,1@x.y', `'=cmd|""/c calc""!a,1@x.y`],
  ['a tab', '\t=1', "'\t'=1"],
  ['a formula in wide letters', '＝1', "'＝1"],
  ['a formula after spaces', '  =1', "'  =1"],
  ['a formula after a semicolon', 'a;=1+1', "a;'=1+1"],
  ['formulas after several', 'a;+1;b; @x;-2', "a;'+1;b;' @x;'-2"],
  ['a formula after a line break', 'a\n=1', "a\n'=1"],
  ['a formula after a comma', 'a,=1', "a,'=1"],
  ['a plus inside', 'ana+lista@exemplo.com', 'ana+lista@exemplo.com'],
  ['a date', '2026-11-15T12:00:00.000Z', '2026-11-15T12:00:00.000Z'],
  ['nothing', '', ''],
])('a cell with %s', (_what, value, cell) => {
  expect(toCsvLine([value, 'x'])).toBe(`"${cell}","x"\r\n`)
})

test('no part of a line begins like a formula, whatever separator a spreadsheet uses', () => {
  const part = fc.constantFrom('=', '+', '-', '@', ';', ',', '"', '\t', '\r', '\n', ' ', 'a', '1', '|')
  fc.assert(
    fc.property(
      fc.array(
        fc.array(part).map((parts) => parts.join('')),
        { minLength: 1 },
      ),
      (values) => {
        for (const separator of [';', ',', '\t', '|', /\r\n|\r|\n/]) {
          for (const piece of toCsvLine(values).split(separator))
            expect(piece.replace(/^["\s]+/, '')).not.toMatch(/^[=+\-@]/)
        }
      },
    ),
  )
  writeDocRow('docs/reports/attacks.md', 'fixed', [
    'A5c',
    'subscriptions exported with `=`, `+`, `-` or `@` at the start of a cell or after a `;`, on which a Brazilian Excel splits',
    'every cell is quoted, and every possible start of a cell is neutralised',
    '`src/server/newsletter/subscriptions.test.ts`',
  ])
})

describe.each(TIER_ENGINES)('the export on %s', (engine) => {
  test('has a heading and every subscription once, over many pages', async () => {
    const database = await makeDatabase(engine)
    const at = '2026-11-15T12:00:00.000Z'
    const rows = Array.from({ length: 2_500 }, (_, index) => ({
      id: randomUUID(),
      email: `${index % 2 === 0 ? 'Ä-' : 'p_'}${index}@exemplo.com.br`.toLowerCase(),
      status: 'delivered' as const,
      delivery_key: randomUUID(),
      attempts: 2,
      next_attempt_at: at,
      created_at: at,
      delivered_at: at,
    }))
    for (let from = 0; from < rows.length; from += 500)
      await database.db
        .insertInto('newsletter_subscriptions')
        .values(rows.slice(from, from + 500))
        .execute()
    let csv = ''
    for await (const chunk of exportSubscriptions(database.db)) csv += chunk
    const [heading, ...lines] = csv.split('\r\n').slice(0, -1)
    expect(heading).toBe('"email","situacao","inscrito_em","entregue_em","tentativas","ultimo_erro"')
    expect(lines.sort()).toEqual(rows.map((row) => `"${row.email}","entregue","${at}","${at}","2",""`).sort())
    await database.close()
  })
})
