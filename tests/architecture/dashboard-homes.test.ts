import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from '#tests/support/source-files.ts'

/** What the dashboard does in one place only, by the words in the code. */
const HOMES: readonly [what: string, words: RegExp, home: string][] = [
  [
    'catches errors of rendering',
    /\bextends Component\b|getDerivedStateFromError/,
    'components/error-boundary.tsx',
  ],
  ['starts a mutation', /\buseMutation\b|\bnew MutationObserver<|\buseIsMutating\b/, 'lib/queries.ts'],
  ['formats numbers and dates', /\bIntl\.|\.toLocale(?:Date|Time)?String\(/, 'lib/format.ts'],
  ['moves in the history', /\bhistory\.(?:pushState|replaceState|go|back)\b|history\[/, 'lib/router.tsx'],
  ['frames a form over the page', /<ModalForm\b|<ConflictBox\b/, 'components/modal.tsx'],
  ['frames a chart', /<BusyFigures\b|'Ver como'|"Ver como"/, 'components/chart-card.tsx'],
  ['shows that something did not load', /<LoadFailure\b/, 'components/query-view.tsx'],
  ['imports the router', /from 'wouter'/, 'lib/router.tsx'],
  ['reads the filters of the address', /\blocation\.search\b|\bURLSearchParams\(location/, 'lib/router.tsx'],
]

/** Justified exceptions. */
const EXCEPTIONS = new Map([
  // Removes the one-time token from the address, before there is a router.
  ['features/session/session.tsx', ['moves in the history', 'reads the filters of the address']],
])

const sources = sourceFiles('src/admin').map((file) => ({
  file: file.replace('src/admin/', ''),
  source: readFileSync(file, 'utf8'),
}))

test.each(HOMES)('only one module %s', (what, words, home) => {
  const users = sources
    .filter(({ file, source }) => words.test(source) && !EXCEPTIONS.get(file)?.includes(what))
    .map(({ file }) => file)
  expect(users).toEqual([home])
})
