import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COLORS } from './colors.ts'

const tokens = new Map(
  Array.from(
    readFileSync('src/design/tokens.css', 'utf8').matchAll(/--([\w-]+): (#[0-9a-f]+);/g),
    (found) => [found[1], found[2]],
  ),
)

test.each(Object.entries(COLORS))('%s is the token of that name', (name, value) => {
  expect(tokens.get(name.replace(/[A-Z0-9]/g, (mark) => `-${mark.toLowerCase()}`))).toBe(value)
})

test('no drawing, page or email names its own colour', () => {
  const files = globSync(['src/landing/**/*.{ts,tsx}', 'src/design/*.{ts,tsx}', 'src/server/**/*.ts']).filter(
    (file) => !/colors\.ts$|\.test\.tsx?$/.test(file),
  )
  expect(files.length).toBeGreaterThan(100)
  const named = files.filter((file) =>
    /["':]#([0-9a-f]{3}|[0-9a-f]{6})["';]/i.test(readFileSync(file, 'utf8')),
  )
  expect(named).toEqual([])
})
