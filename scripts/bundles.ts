import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { pathToFileURL } from 'node:url'
import { buildIfStale } from './build-if-stale.ts'

const CLIENT = 'dist/client'
const REPORT = 'docs/reports/bundles.md'
const ENTRY = 'src/admin/main.tsx'

/** Chunks loaded with the list or just before it. */
const BESIDE_THE_LIST = ['today']
/** Chunks that most sessions never load, with the reason. They are not in the budget. */
const ON_DEMAND: Readonly<Record<string, string>> = {
  'scrolling-table': 'for a list of more than sixty rows',
  'help-screen': 'when the guide is opened: all its chapters',
  'outcomes-screen': 'when "Resultados" is opened',
  'first-steps': 'until the first steps are done or hidden',
  'chat-form': 'when a chat is connected or changed',
  'password-offer': 'after a sign-in with a generated password',
}

/** Downloads of a person, in files and brotli bytes. */
export const BUDGETS = {
  list: { files: 12, bytes: 115_000 },
  session: { files: 28, bytes: 230_000 },
}

/** The landing page without content of its own, in brotli bytes. */
export const PAGE_BUDGETS = { html: 11_100, upToHero: 6_000, boot: 3_900, scripts: 68_500 }

interface Chunk {
  file: string
  name?: string
  imports?: string[]
  dynamicImports?: string[]
}

interface Script {
  name: string
  bytes: number
}

export interface Bundles {
  /** Until the list is shown. */
  list: Script[]
  /** After it: for a session that opens every screen. */
  later: Script[]
  /** For what most sessions never need. */
  onDemand: Script[]
}

/** The dashboard's scripts in the last build, by when they are loaded. */
export function readBundles(): Bundles {
  const manifest = JSON.parse(readFileSync(`${CLIENT}/.vite/manifest.json`, 'utf8')) as Record<string, Chunk>
  const chunkOf = (key: string): Chunk => {
    const chunk = manifest[key]
    if (chunk === undefined) throw new Error(`the build has no chunk ${key}`)
    return chunk
  }
  const reach = (keys: readonly string[], isFollowed: (chunk: Chunk) => readonly string[]): Set<string> => {
    const found = new Set<string>()
    const visit = (key: string) => {
      if (found.has(key)) return
      found.add(key)
      for (const next of isFollowed(chunkOf(key))) visit(next)
    }
    for (const key of keys) visit(key)
    return found
  }
  const nameOf = (key: string) => chunkOf(key).name ?? key
  const everything = reach([ENTRY], ({ imports = [], dynamicImports = [] }) => [
    ...imports,
    ...dynamicImports,
  ])
  const beside = [...everything].filter((key) => BESIDE_THE_LIST.includes(nameOf(key)))
  const list = reach([ENTRY, ...beside], ({ imports = [] }) => imports)
  const toScripts = (keys: Iterable<string>): Script[] =>
    Array.from(keys, (key) => ({
      name: nameOf(key),
      bytes: statSync(`${CLIENT}/${chunkOf(key).file}.br`).size,
    })).sort((one, other) => other.bytes - one.bytes)
  const after = [...everything].filter((key) => !list.has(key))
  return {
    list: toScripts(list),
    later: toScripts(after.filter((key) => !(nameOf(key) in ON_DEMAND))),
    onDemand: toScripts(after.filter((key) => nameOf(key) in ON_DEMAND)),
  }
}

export function weigh(scripts: readonly Script[]): { files: number; bytes: number } {
  return { files: scripts.length, bytes: scripts.reduce((sum, { bytes }) => sum + bytes, 0) }
}

function writeReport({ list, later, onDemand }: Bundles): string {
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1)
  const rows = (scripts: readonly Script[], when: string) =>
    scripts.map(({ name, bytes }) => `| \`${name}\` | ${kilobytes(bytes)} | ${when} |`)
  const total = (what: string, scripts: readonly Script[], most: { files: number; bytes: number }) => {
    const { files, bytes } = weigh(scripts)
    return `| ${what} | ${files} | ${most.files} | ${kilobytes(bytes)} | ${kilobytes(most.bytes)} |`
  }
  return [
    '# Scripts of the dashboard',
    '',
    'Written by `npm run bundles` from the last build. Sizes are kilobytes (1000 bytes) of brotli, as the server sends them. The budgets are tests: `scripts/bundles.test.ts` reads the build, `tests/e2e/admin-budgets.full.test.ts` counts what a browser asks for.',
    '',
    '| | files | at most | KB | at most |',
    '|---|---|---|---|---|',
    total('until the list is shown', list, BUDGETS.list),
    total('a session that opens every screen not loaded on demand', [...list, ...later], BUDGETS.session),
    '',
    'The files at the end are loaded on demand and are not in the second line: most sessions never load them.',
    '',
    '| script | KB | loaded |',
    '|---|---|---|',
    ...rows(list, 'until the list is shown'),
    ...rows(later, 'when the browser is idle after that, or when it is needed'),
    ...onDemand.flatMap((script) => rows([script], ON_DEMAND[script.name] ?? '')),
    '',
  ].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildIfStale()
  mkdirSync(dirname(REPORT), { recursive: true })
  writeFileSync(REPORT, writeReport(readBundles()))
  console.log(`written: ${REPORT}`)
}
