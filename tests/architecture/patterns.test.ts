import { readFileSync } from 'node:fs'
import { check } from 'recheck'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'
import recheckPackage from '../../node_modules/recheck/package.json' with { type: 'json' }

/** Every pattern that recheck found safe, below the version that did. `-u` updates it once new ones are checked. */
const JUDGED = 'tests/architecture/judged-patterns.txt'
/** Steps instead of milliseconds, so that a busy machine gives the same result. */
const PARAMETERS = { timeout: null, attackTimeout: null, incubationTimeout: null }

/**
 * Code that creates patterns at run time, and from what: a path of ours; rules of the catalogue, which are checked as
 * literals; an account's ID of letters, digits and hyphens; the fields of destinations, which are checked as literals
 * too; the words of a language, for the administrator's own code of 30 KB at most.
 */
const MADE_AT_RUN_TIME = [
  'src/admin/features/pixels/code.tsx',
  'src/contract/conversions.ts',
  'src/landing/browser/tags/clean-up.ts',
  'src/landing/browser/tags/requests.ts',
  'src/server/tags/serve/tag-store.ts',
]

interface Node {
  type?: string
  regex?: { pattern: string; flags: string }
  callee?: Node & { name?: string }
}

function findPatterns(): { literals: string[]; makers: string[] } {
  const literals = new Set<string>()
  const makers = new Set<string>()
  for (const file of sourceFiles('src')) {
    const pending: unknown[] = [
      parseAst(readFileSync(file, 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }),
    ]
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (node === null || typeof node !== 'object') continue
      const { type, regex, callee } = node as Node
      if (regex !== undefined) literals.add(`/${regex.pattern}/${regex.flags}`)
      if (type === 'NewExpression' || type === 'CallExpression')
        if (callee?.name === 'RegExp') makers.add(file)
      pending.push(...Object.values(node))
    }
  }
  return { literals: [...literals].sort(), makers: [...makers].sort() }
}

/** Patterns process text of strangers: one that is not linear lets a few kilobytes stop the process, or a browser. */
test('recheck finds every pattern of the product safe', async () => {
  const { literals } = findPatterns()
  expect(literals.length).toBeGreaterThan(300)
  const version = `recheck ${recheckPackage.version}`
  const [judgedBy, ...judged] = readFileSync(JUDGED, 'utf8').split('\n')
  const known = new Set(judgedBy === version ? judged : [])
  const unsafe: string[] = []
  for (const literal of literals.filter((pattern) => !known.has(pattern))) {
    const end = literal.lastIndexOf('/')
    const verdict = await check(literal.slice(1, end), literal.slice(end + 1), PARAMETERS)
    if (verdict.status !== 'safe')
      unsafe.push(`${literal}: ${verdict.status === 'vulnerable' ? verdict.attack.pattern : verdict.status}`)
  }
  expect(unsafe).toEqual([])
  await expect([version, ...literals].join('\n')).toMatchFileSnapshot('judged-patterns.txt')
}, 1_800_000)

test('recheck detects a quadratic pattern', async () => {
  expect(await check(String.raw`\s*=\s*\[?\s*x`, '', PARAMETERS)).toMatchObject({
    status: 'vulnerable',
  })
}, 300_000)

test('patterns are created at run time only in known places', () => {
  expect(findPatterns().makers).toEqual(MADE_AT_RUN_TIME)
})

test('vendors are recognised in the compiler’s thread only', () => {
  const importers = (module: string) =>
    sourceFiles('src').filter((file) =>
      new RegExp(`^import (?!type ).*/${module}\\.ts'$`, 'm').test(readFileSync(file, 'utf8')),
    )
  expect(importers('recognise-vendors')).toEqual(['src/server/tags/compile/recognise-source.ts'])
  expect(importers('recognise-source')).toEqual(['src/server/tags/compile/compile-worker.ts'])
  expect(importers('compile-worker')).toEqual([])
})
