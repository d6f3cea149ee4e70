/**
 * `npm run readability [-- FILE…]`: the share of sentences over 25 words in the README and the documents, by file. With
 * `--list`, those sentences.
 */
import { globSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const LONG = 25

/** Documents for readers of English. The guide is Portuguese. */
export const DOCUMENTS = [
  'README.md',
  ...globSync('docs/**/*.md').filter((file) => !file.startsWith('docs/guia/')),
]

/** The prose of a Markdown text: no code, tables, headings or comments, and only the text of links. */
function readSentences(markdown: string): string[] {
  const prose = markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/```[\s\S]*?```/g, '\n\n')
    .replace(/^(#|\s*\|).*$/gm, '\n')
    .replace(/^\s*([-*]|\d+\.)\s+/gm, '\n\n')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'code')
  return prose
    .split(/\n\s*\n/)
    .flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?][*"”)]*) (?=[*"“(]*[A-ZÀ-Ý0-9])/))
}

function countWords(sentence: string): number {
  return sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

export interface Readability {
  sentences: number
  long: string[]
}

export function measureReadability(markdown: string): Readability {
  // A label or a single word is no sentence.
  const sentences = readSentences(markdown).filter((sentence) => countWords(sentence) >= 3)
  return { sentences: sentences.length, long: sentences.filter((sentence) => countWords(sentence) > LONG) }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const named = process.argv.slice(2).filter((argument) => argument !== '--list')
  const total: Readability = { sentences: 0, long: [] }
  for (const file of named.length === 0 ? DOCUMENTS : named) {
    const { sentences, long } = measureReadability(readFileSync(file, 'utf8'))
    if (process.argv.includes('--list')) for (const sentence of long) console.log(`${file}: ${sentence}`)
    else console.log(`${long.length} of ${sentences}  ${file}`)
    total.sentences += sentences
    total.long.push(...long)
  }
  const share = (100 * total.long.length) / total.sentences
  console.log(
    `${total.long.length} of ${total.sentences} sentences have more than ${LONG} words: ${share.toFixed(1)} %`,
  )
}
