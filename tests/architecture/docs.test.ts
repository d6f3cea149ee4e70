import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'
import { DOCUMENTS, measureReadability } from '../../scripts/readability.ts'

const ALL = [...new Set([...globSync('*.md'), ...globSync('docs/**/*.md')])].sort()
/** Records of their time: a file that they name may be gone. */
const PAST = ['CHANGELOG.md', 'docs/reports/structure.md']
const TODAY = ALL.filter((file) => !file.startsWith('docs/decisions/') && !PAST.includes(file))

const read = (file: string) => readFileSync(file, 'utf8')
const withoutBlocks = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, '')

/** Like GitHub: letters, digits, hyphens and underscores of the heading, numbered if two are the same. */
function readAnchors(markdown: string): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutBlocks(markdown).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plain.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}

function findDeadLinks(file: string, markdown = read(file)): string[] {
  const text = withoutBlocks(markdown).replace(/`[^`\n]*`/g, '')
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link).filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : normalize(join(dirname(file), path))
    if (!existsSync(target)) return true
    return anchor !== undefined && (statSync(target).isDirectory() || !readAnchors(read(target)).has(anchor))
  })
}

test.each(ALL)('%s has no dead link', (file) => {
  expect(findDeadLinks(file)).toEqual([])
})

test('finds a dead link and a dead anchor', () => {
  expect(readAnchors('# A `b`, c\n## Twice\n## Twice\n```\n# no heading\n```\n')).toEqual(
    new Set(['a-b-c', 'twice', 'twice-1']),
  )
  const links =
    '[a](gone.md) [b](../README.md#gone) [c](../README.md#run-it) `[d](gone.md)` [e](../README.md)'
  expect(findDeadLinks('docs/any.md', links)).toEqual(['gone.md', '../README.md#gone'])
})

/** A path of the repository: no placeholder in capitals, no ellipsis. */
const PATH = /`((?:src|tests|scripts|bench|deploy|docs)\/[\w./*-]+)`/g

test.each(TODAY)('%s names only files that exist', (file) => {
  const named = Array.from(read(file).matchAll(PATH), ([, path = '']) => path)
  const missing = named.filter((path) => !/[A-Z]{4}/.test(path) && globSync(path).length === 0)
  expect(missing).toEqual([])
})

test.each(TODAY)('%s names only commands that exist', (file) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = Array.from(read(file).matchAll(/npm run ([a-z][\w:-]*)/g), ([, name = '']) => name)
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
})

test('the tests that write tables exist', () => {
  const writers = ALL.flatMap((file) =>
    Array.from(read(file).matchAll(/<!-- [^:>]+: written by (\S+) -->/g), ([, path = '']) => path),
  )
  expect(writers.length).toBeGreaterThan(10)
  expect(writers.filter((path) => !existsSync(path))).toEqual([])
})

test('the README has at most 120 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(121)
})

test('at most 12 % of the sentences have more than 25 words', () => {
  const measured = DOCUMENTS.map((file) => measureReadability(read(file)))
  const sentences = measured.reduce((sum, each) => sum + each.sentences, 0)
  const long = measured.flatMap((each) => each.long)
  expect(sentences).toBeGreaterThan(500)
  expect(long.length / sentences).toBeLessThanOrEqual(0.12)
  const words = `${'one '.repeat(25)}more.`
  expect(measureReadability(`Short it is. ${words} | A table.\n`).long).toHaveLength(1)
})

const SOURCES = globSync(['src', 'tests', 'scripts', 'bench', 'deploy'].map((area) => `${area}/**/*`)).filter(
  (file) => /\.(ts|tsx|mjs|css|tsv|yaml|conf|service)$/.test(file),
)

/** A numbered part of a document: only of a standard that is named beside it, such as "RFC 9110, section 4.2.3". */
const PART = /(?:\b([A-Z][\w.-]*) ?(\d+)?,? )?\b[Ss]ections? \d/g

test('no comment cites a document that is not in the repository', () => {
  const own = 'tests/architecture/docs.test.ts'
  const cited = SOURCES.filter((file) => file !== own).flatMap((file) => {
    const text = (read(file).match(/\/\*[\s\S]*?\*\/|(?<=^|\s)(?:\/\/|#) .*$/gm) ?? []).join('\n')
    const documents = Array.from(text.matchAll(/(?<![\w./-])([\w./-]+\.md)\b/g), ([, path = '']) => path)
    const missing = documents.filter((path) => !existsSync(path))
    const parts = Array.from(text.matchAll(PART), ([part]) => part).filter((part) => !/^RFC \d+/.test(part))
    const names =
      text.match(/\((?:DESIGN|SHAPE|WIRE|PROOF|EXPERIENCE|STYLE|FACTS|COUNTING)\b|\bfact sheet\b/g) ?? []
    return [...missing, ...parts, ...names].map((what) => `${file}: ${what}`)
  })
  expect(cited).toEqual([])
})

test('the log messages of docs/operate are those of the server', () => {
  const source = sourceFiles('src/server').map(read).join('\n')
  const quoted = [
    'docs/operate/monitoring.md',
    'docs/operate/troubleshooting.md',
    'docs/operate/install.md',
  ].flatMap((file) =>
    Array.from(read(file).matchAll(/`([a-z]+:?(?: [a-z]+,?){2,})`/g), ([, message = '']) => message),
  )
  expect(quoted.length).toBeGreaterThan(10)
  // Words of SQLite, and commands of the shell.
  const isForeign = (message: string) => /^(database is locked$|npm |systemctl |chown |docker )/.test(message)
  expect(quoted.filter((message) => !isForeign(message) && !source.includes(message))).toEqual([])
})
