import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DataApp, startDataApp } from '#tests/support/data-app.ts'
import { writeDocRow } from '#tests/support/doc-table.ts'
import { ENGINES } from '#tests/support/engines.ts'

const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

const PIXELS = [
  { name: 'Ação', type: 'meta', pixel_id: '111', allowed_hosts: ['a.example.com', 'b.example.com'] },
  {
    name: 'ação menor',
    type: 'google_analytics',
    pixel_id: 'G-2',
    allowed_hosts: ['a.example.com'],
    conversion_labels: { contact: 'AW-1/x' },
  },
  {
    name: 'Beta',
    type: 'google_tag_manager',
    pixel_id: 'GTM-3',
    is_active: false,
    conversion_labels: { contact: 'AW-2/y', lead: 'AW-2/z' },
  },
  { name: 'custom, one', type: 'custom', pixel_id: null, code: '1' },
  { name: 'zeta', type: 'custom', pixel_id: null, code: '2' },
].map((pixel, index) => ({
  id: idOf(index + 1),
  is_active: true,
  code: '',
  allowed_hosts: [] as string[],
  conversion_labels: {},
  ...pixel,
  created_at: `2026-11-0${index + 1}T00:00:00Z`,
}))

/** Operator, query, and the expected result: pixels by number, values, or status and code. */
const OPERATORS: [operator: string, question: string, expected: unknown][] = [
  ['eq', 'type=eq.custom', [4, 5]],
  ['eq(any)', 'type=eq(any).{meta,custom}', [1, 4, 5]],
  ['neq', 'type=neq.custom', [1, 2, 3]],
  ['gt', 'created_at=gt.2026-11-04', [5]],
  ['gte', 'created_at=gte.2026-11-04', [4, 5]],
  ['lt', 'name=lt.a', [1, 3]],
  ['lte', 'name=lte.Beta', [1, 3]],
  ['gte(all)', 'name=gte(all).{a,b}', [4, 5]],
  ['like', 'name=like.A*', [1]],
  ['like(any)', 'name=like(any).{A*,*eta}', [1, 3, 5]],
  ['like(all)', 'name=like(all).{*e*,*a}', [3, 5]],
  ['ilike', 'name=ilike.AÇÃO*', [1, 2]],
  ['ilike(any)', 'name=ilike(any).{AÇÃO*,BETA}', [1, 2, 3]],
  ['ilike(all)', 'name=ilike(all).{AÇÃO*,*MENOR}', [2]],
  ['in', 'name=in.("custom, one",zeta)', [4, 5]],
  ['is', 'pixel_id=is.null', [4, 5]],
  ['isdistinct', 'pixel_id=isdistinct.111', [2, 3, 4, 5]],
  ['not', 'name=not.ilike.*a*', [4]],
  ['and, or', 'or=(type.eq.meta,and(type.eq.custom,code.eq.2))', [1, 5]],
  ['cs, array', 'allowed_hosts=cs.{a.example.com}', [1, 2]],
  ['cs, array as JSON', 'allowed_hosts=cs.["a.example.com","b.example.com"]', [1]],
  ['cs, empty array', 'allowed_hosts=cs.{}', [1, 2, 3, 4, 5]],
  ['cs, object', 'conversion_labels=cs.{"contact":"AW-1/x"}', [2]],
  ['cs in or', 'or=(allowed_hosts.cs.{a.example.com,b.example.com},name.eq.zeta)', [1, 5]],
  ['cs, text', 'name=cs.{a}', '404 42883'],
  ['cd, array', 'allowed_hosts=cd.{a.example.com,c.example.com}', [2, 3, 4, 5]],
  ['ov, array', 'allowed_hosts=ov.{b.example.com,c.example.com}', [1]],
  ['->>', 'conversion_labels->>contact=like.AW-2*', [3]],
  ['->> of an array', 'allowed_hosts->>-1=eq.b.example.com', [1]],
  ['->> is null', 'conversion_labels->>lead=is.not_null', [3]],
  ['-> of what is no document', 'name->>a=eq.1', '404 42883'],
  ['-> compared', 'conversion_labels->contact=eq.1', '404 42883'],
  ['->> in order', 'order=conversion_labels->>contact.desc.nullslast&limit=2', [3, 2]],
  ['->> in select', `select=conversion_labels->>contact&id=eq.${idOf(2)}`, '[{"contact":"AW-1/x"}]'],
  ['-> in select', `select=host:allowed_hosts->0&id=eq.${idOf(2)}`, '[{"host":"a.example.com"}]'],
  ['::text', `select=is_active::text&id=eq.${idOf(3)}`, '[{"is_active":"false"}]'],
  ['::int of a boolean', `select=is_active::int&id=eq.${idOf(3)}`, '[{"is_active":0}]'],
  ['::date of a time', `select=created_at::date&id=eq.${idOf(3)}`, '[{"created_at":"2026-11-03"}]'],
  ['::jsonb', `select=allowed_hosts::jsonb&id=eq.${idOf(2)}`, '[{"allowed_hosts":["a.example.com"]}]'],
  ['::int of a text', 'select=name::int', '400 42846'],
  ['match', 'name=match.^A', '400 0A000'],
  ['imatch', 'name=imatch.^a', '400 0A000'],
  ['fts', 'name=fts.a', '400 0A000'],
  ['sl', 'name=sl.[1,2]', '400 0A000'],
]

const apps: DataApp[] = []
beforeAll(async () => {
  for (const engine of ENGINES) {
    const data = await startDataApp(engine)
    apps.push(data)
    const made = await data.call({ method: 'POST', url: '/rest/v1/tracking_pixels', payload: PIXELS })
    expect(made.statusCode, made.body).toBe(201)
  }
})
afterAll(async () => {
  for (const data of apps) await data.close()
})

async function ask(data: DataApp, question: string): Promise<unknown> {
  const [name = '', ...rest] = question.split('=')
  const search = question.startsWith('select')
    ? question
    : `${encodeURIComponent(name)}=${rest.join('=').replaceAll('"', '%22')}`
  const answer = await data.call({ url: `/rest/v1/tracking_pixels?${search}` })
  if (answer.statusCode !== 200) {
    expect(answer.json().message).toBeTruthy()
    return `${answer.statusCode} ${answer.json().code}`
  }
  if (question.startsWith('select')) return answer.body
  return answer.json().map((row: { id: string }) => Number(row.id.at(-1)))
}

test.each(OPERATORS)('%s: %s', async (operator, question, expected) => {
  const answers: unknown[] = []
  for (const data of apps) answers.push(await ask(data, question))
  expect(answers).toEqual(apps.map(() => expected))
  const shown = answers.map((answer) =>
    Array.isArray(answer) ? `pixels ${answer.join(', ')}` : `\`${String(answer)}\``,
  )
  writeDocRow('docs/integrate/data-api.md', 'operators', [`\`${operator}\``, `\`${question}\``, ...shown])
})

test('a refused operator names its alternative', async () => {
  for (const data of apps) {
    const answer = await data.call({ url: '/rest/v1/tracking_pixels?name=imatch.^a' })
    expect(answer.json()).toMatchObject({
      message: 'operator imatch is not supported',
      hint: expect.stringContaining('ilike'),
    })
  }
})
