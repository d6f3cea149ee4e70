import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { pathToFileURL } from 'node:url'
import { parseSync } from 'vite'

/** The last commit before the sources were merged into modules. */
const BEFORE = 'c18e511'
const REPORT = 'docs/reports/structure.md'
const AREAS = ['src/server', 'src/admin', 'src/landing', 'src/contract', 'src/design']
/** Folders with one file per entry on purpose: vendors and migrations. */
const LISTS = /^src\/server\/(vendors\/catalogue|db\/migrations)\//

type Sources = ReadonlyMap<string, string>

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 })
const isSource = (file: string) => /^src\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file)

function readTree(): Sources {
  const files = git('ls-files', '--cached', '--others', '--exclude-standard', 'src').split('\n')
  return new Map(
    files
      .filter((file) => isSource(file) && existsSync(file))
      .map((file) => [file, readFileSync(file, 'utf8')] as const),
  )
}

function readCommit(commit: string): Sources {
  const files = git('ls-tree', '-r', '--name-only', commit, 'src').split('\n').filter(isSource)
  return new Map(files.map((file) => [file, git('show', `${commit}:${file}`)] as const))
}

const linesOf = (text: string) => text.split('\n').length - 1

/** Number of other sources that import each file. */
function countImporters(sources: Sources): Map<string, number> {
  const importers = new Map<string, Set<string>>()
  for (const [file, text] of sources) {
    const { module } = parseSync(file, text)
    const requests = [
      ...module.staticImports.map((entry) => entry.moduleRequest.value),
      ...module.staticExports.flatMap((entry) => entry.entries.map((part) => part.moduleRequest?.value)),
      ...module.dynamicImports.map(({ moduleRequest }) =>
        text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
      ),
    ]
    for (const request of requests) {
      if (request === undefined || !/^[.#]/.test(request)) continue
      const target = request.startsWith('#')
        ? `src/${request.slice(1)}`
        : normalize(join(dirname(file), request))
      if (target !== file) importers.set(target, (importers.get(target) ?? new Set()).add(file))
    }
  }
  return new Map([...importers].map(([file, from]) => [file, from.size]))
}

function measure(sources: Sources, area: string): string[] {
  const importers = countImporters(sources)
  const files = [...sources].filter(([file]) => file.startsWith(`${area}/`) && !LISTS.test(file))
  const lines = files.map(([, text]) => linesOf(text)).sort((a, b) => a - b)
  const at = (share: number) => String(lines[Math.floor(lines.length * share)] ?? 0)
  const once = files.filter(([file]) => importers.get(file) === 1).length
  return [
    String(files.length),
    at(0.5),
    at(0.9),
    String(lines.filter((count) => count <= 25).length),
    String(lines.filter((count) => count > 400).length),
    String(once),
  ]
}

function largestFolders(sources: Sources): string[] {
  const folders = new Map<string, number>()
  for (const file of sources.keys())
    if (!LISTS.test(file)) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1)
  return [...folders]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([folder, count]) => `\`${folder}\` ${count}`)
}

/** Headings of a document with the files in their numbered steps. */
function filesByHeading(document: string): { heading: string; files: string[] }[] {
  return document
    .split(/^##+ /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      const steps = lines.filter((line) => /^\d+\. /.test(line)).join('\n')
      const files = Array.from(steps.matchAll(/`((?:src|tests)\/[^`]+)`/g), ([, file = '']) => file)
      return { heading, files: [...new Set(files)] }
    })
    .filter(({ files }) => files.length > 0)
}

function countStories(path: string): string[] {
  if (!existsSync(path)) return []
  return filesByHeading(readFileSync(path, 'utf8')).map(
    ({ heading, files }) => `| ${heading} | ${files.length} |`,
  )
}

function writeReport(before: Sources, after: Sources): string {
  const rows = AREAS.flatMap((area) => [
    `| \`${area}\` before | ${measure(before, area).join(' | ')} |`,
    `| \`${area}\` now | ${measure(after, area).join(' | ')} |`,
  ])
  return [
    '# Structure',
    '',
    `Written by \`npm run structure\`. "Before" is commit ${BEFORE}, the last one before the sources were merged into modules. Tests, the vendor catalogue and migrations are left out.`,
    '',
    '| | files | median lines | 90th percentile | at most 25 lines | over 400 lines | imported by one file |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    '## Largest folders',
    '',
    `Before: ${largestFolders(before).join(', ')}.`,
    '',
    `Now: ${largestFolders(after).join(', ')}.`,
    '',
    '## Files of each story',
    '',
    'Listed in [the tour](../develop/tour.md).',
    '',
    '| story | files |',
    '|---|---|',
    ...countStories('docs/develop/tour.md'),
    '',
    '## Files of each recipe',
    '',
    'Files that the steps in [the recipes](../develop/recipes.md) name, tests included. Tests perform them on a copy or a fixture.',
    '',
    '| recipe | files |',
    '|---|---|',
    ...countStories('docs/develop/recipes.md'),
    '',
  ].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(dirname(REPORT), { recursive: true })
  writeFileSync(REPORT, writeReport(readCommit(BEFORE), readTree()))
  console.log(`written: ${REPORT}`)
}
