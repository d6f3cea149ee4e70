import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>
}

/** The packages that a file imports at run time, without types. */
function packagesOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const { module } = parseSync(file, source)
  const requests = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.dynamicImports.flatMap(
      ({ moduleRequest: { start, end } }) => /^'(.+)'$/.exec(source.slice(start, end))?.[1] ?? [],
    ),
  ]
  return requests
    .filter((request) => /^(@[a-z]|[a-z])/.test(request) && !request.startsWith('node:'))
    .map((request) =>
      request
        .split('/')
        .slice(0, request.startsWith('@') ? 2 : 1)
        .join('/'),
    )
}

test('production dependencies are exactly what the server and its commands import', () => {
  const files = sourceFiles('src/server', 'src/contract', 'src/design')
  const imported = new Set(files.flatMap(packagesOf))
  expect(files.length).toBeGreaterThan(300)
  expect([...imported].filter((name) => builtinModules.includes(name))).toEqual([])
  expect(Object.keys(dependencies).sort()).toEqual([...imported].sort())
})
