import { describe, expect, test } from 'vitest'
import { AppError } from '#server/http/errors.ts'
import { parseQuery } from './parse-query.ts'
import type { Condition, OrderItem, SelectItem } from './query.ts'

const parse = (search: string) => parseQuery(search, 't')
const where = (search: string) => parse(search).where
const compare = (column: string, test: object, negated = false) =>
  ({ kind: 'comparison', column, path: null, negated, test }) as Condition
const column = (name: string, alias: string | null = null, cast: string | null = null): SelectItem => ({
  kind: 'column',
  column: name,
  path: null,
  alias,
  cast,
})
const order = (name: string, descending: boolean, nulls: OrderItem['nulls']): OrderItem => ({
  column: name,
  path: null,
  descending,
  nulls,
})

describe('the query grammar', () => {
  test.each<[string, SelectItem[] | null]>([
    ['', null],
    ['select=', null],
    ['select=*', null],
    ['select=a', [column('a')]],
    ['select=a,b', [column('a'), column('b')]],
    ['select=*,x:a', [{ kind: 'all' }, column('a', 'x')]],
    ['select=a::text', [column('a', null, 'text')]],
    ['select=x:a::text', [column('a', 'x', 'text')]],
    ['select="a,b"', [column('a,b')]],
    ['select="a\\"b"', [column('a"b')]],
    [
      'select=a->b->>0::text',
      [
        {
          kind: 'column',
          column: 'a',
          path: { keys: ['b', 0], asText: true },
          alias: null,
          cast: 'text',
        },
      ],
    ],
  ])('select: %s', (search, expected) => expect(parse(search).select).toEqual(expected))

  test.each<[string, OrderItem[]]>([
    ['order=', []],
    ['order=a', [order('a', false, null)]],
    ['order=a.desc', [order('a', true, null)]],
    ['order=a.nullsfirst', [order('a', false, 'first')]],
    ['order=a.desc.nullslast,b.asc', [order('a', true, 'last'), order('b', false, null)]],
  ])('order: %s', (search, expected) => expect(parse(search).order).toEqual(expected))

  test.each<[string, Condition[]]>([
    ['a=eq.1', [compare('a', { operator: 'eq', value: '1' })]],
    ['a=eq.', [compare('a', { operator: 'eq', value: '' })]],
    ['a=eq.x.y,(z)', [compare('a', { operator: 'eq', value: 'x.y,(z)' })]],
    ['a=eq."x"', [compare('a', { operator: 'eq', value: '"x"' })]],
    ['a=not.eq.1', [compare('a', { operator: 'eq', value: '1' }, true)]],
    ['a=is.NULL', [compare('a', { operator: 'is', value: 'null' })]],
    ['a=in.(1,"b,c","d\\"e")', [compare('a', { operator: 'in', values: ['1', 'b,c', 'd"e'] })]],
    ['a=in.()', [compare('a', { operator: 'in', values: [] })]],
    [
      'a=like(any).{x*,"y,z"}',
      [
        compare('a', {
          operator: 'quantified',
          comparison: 'like',
          quantifier: 'any',
          values: ['x*', 'y,z'],
        }),
      ],
    ],
    [
      'or=(a.cs.{x,"}"})',
      [
        {
          kind: 'group',
          operator: 'or',
          negated: false,
          conditions: [compare('a', { operator: 'cs', value: '{x,"}"}' })],
        },
      ],
    ],
    ['a=in.("")', [compare('a', { operator: 'in', values: [''] })]],
    [
      'a=gt.1&a=lt.3',
      [compare('a', { operator: 'gt', value: '1' }), compare('a', { operator: 'lt', value: '3' })],
    ],
    [
      'or=(a.eq.1,not.and(b.not.gt.2,c.in.(3,4)))',
      [
        {
          kind: 'group',
          operator: 'or',
          negated: false,
          conditions: [
            compare('a', { operator: 'eq', value: '1' }),
            {
              kind: 'group',
              operator: 'and',
              negated: true,
              conditions: [
                compare('b', { operator: 'gt', value: '2' }, true),
                compare('c', { operator: 'in', values: ['3', '4'] }),
              ],
            },
          ],
        },
      ],
    ],
    [
      'not.or=(a.eq."x,y)",order.is.null)',
      [
        {
          kind: 'group',
          operator: 'or',
          negated: true,
          conditions: [
            compare('a', { operator: 'eq', value: 'x,y)' }),
            compare('order', { operator: 'is', value: 'null' }),
          ],
        },
      ],
    ],
    [
      'and=( a.eq.1 , not.or ( b.is.null , c.in.( 3,4) ) )',
      [
        {
          kind: 'group',
          operator: 'and',
          negated: false,
          conditions: [
            // An unquoted value goes up to the comma, spaces included.
            compare('a', { operator: 'eq', value: '1 ' }),
            {
              kind: 'group',
              operator: 'or',
              negated: true,
              conditions: [
                compare('b', { operator: 'is', value: 'null' }),
                compare('c', { operator: 'in', values: ['3', '4'] }),
              ],
            },
          ],
        },
      ],
    ],
    [
      'or=(and.eq.1,"or".eq."x" ,b.cs.{y} )',
      [
        {
          kind: 'group',
          operator: 'or',
          negated: false,
          conditions: [
            compare('and', { operator: 'eq', value: '1' }),
            compare('or', { operator: 'eq', value: 'x' }),
            compare('b', { operator: 'cs', value: '{y}' }),
          ],
        },
      ],
    ],
  ])('filters: %s', (search, expected) => expect(where(search)).toEqual(expected))

  test('limit, offset, columns and on_conflict', () => {
    expect(parse('limit=10&offset=20&columns="a","b"&on_conflict=a,b')).toMatchObject({
      limit: 10,
      offset: 20,
      columns: ['a', 'b'],
      onConflict: ['a', 'b'],
    })
  })

  test.each([
    ['a=1', 'PGRST100'],
    ['a=', 'PGRST100'],
    ['a=eq', 'PGRST100'],
    ['a=EQ.1', 'PGRST100'],
    ['a=fts.x', '0A000'],
    ['a=is.maybe', 'PGRST100'],
    ['a=in.1', 'PGRST100'],
    ['a=in.(1', 'PGRST100'],
    ['a=in.(1)x', 'PGRST100'],
    ['a=in.("1)', 'PGRST100'],
    ['or=', 'PGRST100'],
    ['or=()', 'PGRST100'],
    ['or=(a.eq.1)x', 'PGRST100'],
    ['or=(a)', 'PGRST100'],
    [`or=${'(or'.repeat(30)}`, 'PGRST100'],
    [`or=${'(and'.repeat(5000)}`, 'PGRST100'],
    ['select=a,', 'PGRST100'],
    ['select=a b"', 'PGRST100'],
    ['select=a.sum()', 'PGRST123'],
    ['select=a(b)', 'PGRST200'],
    ['select=...a(b)', 'PGRST200'],
    ['order=a.', 'PGRST100'],
    ['order=a.desc.asc', 'PGRST100'],
    ['order=a.nullslast.desc', 'PGRST100'],
    ['limit=1.5', 'PGRST100'],
    ['limit=1e3', 'PGRST100'],
    ['offset=-1', 'PGRST103'],
    ['b.a=eq.1', 'PGRST108'],
    [`${'a=eq.1&'.repeat(300)}`, 'PGRST100'],
  ])('refuses %s', (search, code) => {
    let caught: unknown
    try {
      parse(search)
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(AppError)
    expect((caught as AppError).code).toBe(code)
  })
})
