import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type ESTree, parseSync, Visitor } from 'vite'

/** Every Portuguese text with its place, for a copy editor who reads all of them in one sitting. */
const REPORT = 'docs/reports/strings.tsv'

/** Neither shown to anybody nor in Portuguese. */
const LEFT_OUT = /\.test\.tsx?$|^src\/(?:design|server\/db\/migrations)\//
const TECHNICAL_ATTRIBUTES =
  /^(?:class|id$|d$|viewBox$|href$|rel$|type$|role$|style|key$|name$|autoComplete$)/

const PORTUGUESE = /[áâãàéêíóôõúç]/i
const SMALL_WORDS =
  /(?:^|[\s("])(?:a|ao|as|com|da|das|de|do|dos|e|em|na|no|o|os|ou|para|pela|pelo|por|que|se|sem|seu|sua|um|uma)(?=[\s.,:;)"?]|$)/i
const ENGLISH =
  /(?:^|\s)(?:and|are|be|by|for|from|has|in|is|it|its|must|not|of|on|the|that|this|to|was|which|with)(?=[\s.,:;]|$)/i
const ONE_WORD = /^[A-Z][a-z]+(?:\.\.\.|[.:!?…])?$/

interface Text {
  /** File, and the declaration that the text stands in: line numbers would change with every edit. */
  place: string
  text: string
}

/** Where a text stands decides how sure its words must be. */
type Kind = 'jsx' | 'attribute' | 'value'

function isPortuguese(text: string, kind: Kind): boolean {
  const words = text.replace(/\{[^{}]*\}/g, ' ').trim()
  if (!/\p{L}{2}/u.test(words)) return false
  if (PORTUGUESE.test(words)) return true
  if (ENGLISH.test(words)) return false
  if (kind === 'jsx') return true
  return ONE_WORD.test(words) || (/\s/.test(words) && SMALL_WORDS.test(words))
}

/** The Portuguese texts of one source, in their order. */
export function extractTexts(file: string, source: string): Text[] {
  const { program } = parseSync(file, source)
  const texts: (Text & { start: number })[] = []
  const technical = new Set<number>()
  const add = (kind: Kind, start: number, text: string) => {
    const shown = text.replace(/\s*\n\s*/g, kind === 'jsx' ? ' ' : '⏎').trim()
    if (!technical.has(start) && isPortuguese(shown, kind))
      texts.push({ start, place: `${file} ${declarationAt(program, start)}`.trim(), text: shown })
  }
  const ignore = (node: ESTree.Node) => technical.add(node.start)
  new Visitor({
    ImportDeclaration: ({ source: from }) => ignore(from),
    TSLiteralType: ({ literal }) => ignore(literal),
    TaggedTemplateExpression: ({ quasi }) => ignore(quasi),
    Property: ({ key, computed }) => {
      if (!computed) ignore(key)
    },
    JSXAttribute: ({ name, value }) => {
      if (value !== null && name.type === 'JSXIdentifier' && TECHNICAL_ATTRIBUTES.test(name.name))
        ignore(value)
    },
    JSXText: ({ start, value }) => add('jsx', start, value),
    Literal: ({ start, value }) => {
      if (typeof value === 'string') add(source[start - 1] === '=' ? 'attribute' : 'value', start, value)
    },
    TemplateLiteral: ({ start, quasis, expressions }) => {
      const holes = expressions.map((each) => `{${source.slice(each.start, each.end).replace(/\s+/g, ' ')}}`)
      add('value', start, quasis.map(({ value }, at) => `${value.cooked}${holes[at] ?? ''}`).join(''))
    },
  }).visit(program)
  return texts.sort((a, b) => a.start - b.start).map(({ place, text }) => ({ place, text }))
}

/** The name of the top-level declaration around a position. */
function declarationAt(program: ESTree.Program, position: number): string {
  const around = program.body.find(({ start, end }) => start <= position && position < end)
  const declared =
    around?.type === 'ExportNamedDeclaration' && around.declaration !== null ? around.declaration : around
  if (declared === undefined) return ''
  if (declared.type === 'VariableDeclaration') {
    const [first] = declared.declarations
    return first?.id.type === 'Identifier' ? first.id.name : ''
  }
  return 'id' in declared && declared.id?.type === 'Identifier' ? declared.id.name : ''
}

export function composeReport(): string {
  const files = execFileSync('git', ['ls-files', 'src', 'scripts'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !LEFT_OUT.test(file))
    .sort()
  const rows = files.flatMap((file) => extractTexts(file, readFileSync(file, 'utf8')))
  return [
    'place\ttext',
    ...rows.map(({ place, text }) => `${place}\t${text.replaceAll('\t', '⇥')}`),
    '',
  ].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const report = composeReport()
  writeFileSync(REPORT, report)
  console.log(`${REPORT}: ${report.split('\n').length - 2} texts`)
}
