import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/** One rule, the text that breaks it, and the test that must then fail. */
export interface Mutant {
  id: string
  rule: string
  /** Occurs once in the server's sources, ignoring white space. */
  find: string
  replace: string
  test: MutantTest
}

/** A test file by project and end of its path, so that it is found after a move. */
export interface MutantTest {
  project: string
  /** `newsletter-channel`, or `mail/channel` where others have the same name. */
  file: string
  /** Part of a test's name, for slow files; empty for all tests of the file. */
  title: string
}

export interface Place {
  file: string
  mutated: string
}

const LIST = 'scripts/mutants.tsv'
const SOURCES = ['src/server/**/*.ts', 'src/contract/**/*.ts']

export function readMutants(text = readFileSync(LIST, 'utf8')): Mutant[] {
  const [, ...lines] = text.trimEnd().split('\n')
  const mutants = lines.map(readMutant)
  const twice = mutants.find(({ id }, index) => mutants.findIndex((other) => other.id === id) !== index)
  if (twice !== undefined) throw new Error(`Two mutants are called ${twice.id}`)
  return mutants
}

function readMutant(line: string): Mutant {
  const [id, rule, find, replace, test, ...more] = line.split('\t')
  if (!id || !rule || !find || replace === undefined || !test || more.length > 0)
    throw new Error(`A mutant has five columns (id, rule, find, replace, test): ${line}`)
  return { id, rule, find, replace, test: readTest(test) }
}

function readTest(text: string): MutantTest {
  const [path = '', title = ''] = text.split(' > ')
  const [project, file] = path.split(':')
  if (!project || !file)
    throw new Error(`A test is named "project:file" or "project:file > title", not ${text}`)
  return { project, file, title }
}

export function readSources(): Map<string, string> {
  const files = globSync(SOURCES).filter((file) => !file.endsWith('.test.ts'))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

/** The one file with the mutant's text, and its content with the mutant; or why there is none. */
export function placeMutant({ find, replace }: Mutant, sources: Map<string, string>): Place | string {
  const places = [...sources].flatMap(([file, text]) =>
    findSpans(text, find).map((span) => ({ file, text, span })),
  )
  const [place] = places
  if (place === undefined) return 'its text occurs nowhere'
  if (places.length > 1) return `its text occurs ${places.length} times: ${places.map(({ file }) => file)}`
  const { file, text, span } = place
  const mutated = `${text.slice(0, span.start)}${replace}${text.slice(span.end)}`
  try {
    stripTypeScriptTypes(mutated)
  } catch (error) {
    return `${file} cannot be parsed with it: ${error}`
  }
  return { file, mutated }
}

export function isFileOf({ file }: MutantTest, path: string): boolean {
  return ['ts', 'tsx'].some((ending) => path.endsWith(`/${file}.test.${ending}`))
}

/** Where a text occurs, ignoring white space. */
function findSpans(text: string, wanted: string): { start: number; end: number }[] {
  const positions = [...text.matchAll(/\S/g)].map(({ index }) => index)
  const dense = text.replaceAll(/\s/g, '')
  const denseWanted = wanted.replaceAll(/\s/g, '')
  const spans = []
  for (let at = dense.indexOf(denseWanted); at !== -1; at = dense.indexOf(denseWanted, at + 1))
    spans.push({ start: positions[at] ?? 0, end: (positions[at + denseWanted.length - 1] ?? 0) + 1 })
  return spans
}
