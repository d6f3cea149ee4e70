import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadedImportsOf } from './import-rules.ts'

/** Circles that are still open. The list only shrinks: a circle that is gone must leave it. */
const KNOWN: readonly (readonly string[])[] = []

test('no file imports itself through others', () => {
  const files = globSync('src/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$/.test(file))
  const imports = new Map(files.map((file) => [file, loadedImportsOf(file, readFileSync(file, 'utf8'))]))
  const sorted = (circles: readonly (readonly string[])[]) =>
    circles.map((circle) => [...circle].sort().join(' ')).sort()
  expect(sorted(findCircles(imports))).toEqual(sorted(KNOWN))
})

test('a circle of three is found, and a diamond is none', () => {
  const imports = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', []],
  ])
  expect(findCircles(imports)).toEqual([['a', 'b', 'c']])
})

/** Groups of files each of which reaches every other: Tarjan's strongly connected components. */
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
