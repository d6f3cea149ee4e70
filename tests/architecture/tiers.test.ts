import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (pattern: string) =>
  globSync(pattern).map((file) => ({ file, text: readFileSync(file, 'utf8') }))

test('a test file that needs a browser says why in its first line', () => {
  const files = read('tests/{e2e,engines}/**/*.test.ts')
  expect(files.length).toBeGreaterThan(30)
  expect(
    files.filter(({ text }) => !/^\/\/ Needs a browser: .+\.\n/.test(text)).map(({ file }) => file),
  ).toEqual([])
})

test('tests of one engine have its name in theirs, by which the full tier finds them', () => {
  const titles = read('{src,tests}/**/*.test.ts').flatMap(({ text }) =>
    Array.from(text.matchAll(/\.each\(TIER_ENGINES\)\(\s*(.+),/g), ([, title = '']) => title),
  )
  expect(titles.length).toBeGreaterThan(50)
  expect(titles.filter((title) => !/\bon %s/.test(title))).toEqual([])
})
