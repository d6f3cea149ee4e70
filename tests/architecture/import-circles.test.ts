import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'
import { loadedImportsOf } from './import-rules.ts'

/** Known import cycles. The list only shrinks. */
const KNOWN: readonly (readonly string[])[] = []

test('no file imports itself through others', () => {
  const files = sourceFiles('src')
  const imports = new Map(files.map((file) => [file, loadedImportsOf(file, readFileSync(file, 'utf8'))]))
  const sorted = (circles: readonly (readonly string[])[]) =>
    circles.map((circle) => [...circle].sort().join(' ')).sort()
  expect(sorted(findCircles(imports))).toEqual(sorted(KNOWN))
})

test('finds a cycle of three, and accepts a diamond', () => {
  const imports = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', []],
  ])
  expect(findCircles(imports)).toEqual([['a', 'b', 'c']])
})

/** Groups of files that all reach each other: Tarjan's strongly connected components. */
function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const order = new Map<string, number>()
  const open: string[] = []
  const visit = (file: string): number => {
    order.set(file, order.size)
    let low = order.get(file) ?? 0
    open.push(file)
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? 0)
    }
    if (low === order.get(file)) {
      const group = open.splice(open.indexOf(file))
      if (group.length > 1) circles.push(group.sort())
    }
    return low
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return circles
}
