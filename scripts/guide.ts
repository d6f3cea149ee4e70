import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import type { Plugin } from 'vite'
import type { GuideChapter, GuideElement, GuideNode } from '../src/admin/features/help/guide.ts'

const FOLDER = 'docs/guia'

const INDEX = 'docs/guia/README.md'

const MODULE = 'virtual:guide'

/** `import { CHAPTERS, PICTURES } from 'virtual:guide'`: the guide for the dashboard, read and checked at build time. */
export function guide(): Plugin {
  return {
    name: 'guide',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load(id) {
      if (id !== `\0${MODULE}`) return null
      const chapters = readGuide()
      for (const file of [INDEX, ...chapters.map(({ slug }) => join(FOLDER, `${slug}.md`))])
        this.addWatchFile(resolve(file))
      return toModule(chapters)
    },
  }
}

/** Every chapter, in the order of the list in `docs/guia/README.md`. */
export function readGuide(): GuideChapter[] {
  const list = lexer(readFileSync(INDEX, 'utf8')).find((token) => token.type === 'list')
  if (list === undefined) throw new Error(`${INDEX} lists no chapters`)
  const files = linksIn(toNodes([list], (href) => href)).map((href) => href.replace(/\.md$/, ''))
  return files.map((slug) => readChapter(slug, readFileSync(join(FOLDER, `${slug}.md`), 'utf8')))
}

/** The anchor that GitHub gives a heading, so that one link works there and in the dashboard. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

export function readChapter(slug: string, markdown: string): GuideChapter {
  const chapter: GuideChapter = { slug, title: '', intro: [], sections: [] }
  for (const token of lexer(markdown)) {
    if (token.type !== 'heading') {
      const nodes = toNodes([token], toAddress)
      ;(chapter.sections.at(-1)?.body ?? chapter.intro).push(...nodes)
      continue
    }
    const { depth, text } = token as Tokens.Heading
    if (depth === 1 && chapter.title === '') chapter.title = text
    else if (depth === 2) chapter.sections.push({ id: anchorOf(text), title: text, body: [] })
    else throw new Error(`${slug}: "${text}" is a heading of level ${depth}; chapters have one 1 and any 2`)
  }
  return chapter
}

/** Where a link between chapters leads in the dashboard. */
function toAddress(href: string): string {
  if (href.startsWith('#')) return href
  const [, slug, fragment = ''] = /^([a-z-]+)\.md(#.+)?$/.exec(href) ?? []
  if (slug === undefined) throw new Error(`${href} is no chapter of the guide`)
  return `/admin/ajuda/${slug}${fragment}`
}

type Linker = (href: string) => string

/** What the guide may contain; anything else, such as raw HTML, fails the build. */
function toNodes(tokens: readonly Token[], link: Linker): GuideNode[] {
  return tokens.flatMap((token): GuideNode[] => {
    const inside = () => toNodes(('tokens' in token ? token.tokens : undefined) ?? [], link)
    switch (token.type) {
      case 'space':
        return []
      case 'text':
        return 'tokens' in token && token.tokens ? inside() : [(token as Tokens.Text).text]
      case 'escape':
        return [(token as Tokens.Escape).text]
      case 'paragraph':
        // A picture is its own paragraph.
        return isPicture(token) ? inside() : [{ tag: 'p', children: inside() }]
      case 'strong':
      case 'em':
        return [{ tag: token.type, children: inside() }]
      case 'codespan':
        return [{ tag: 'code', children: [(token as Tokens.Codespan).text] }]
      case 'link':
        return [{ tag: 'a', href: link((token as Tokens.Link).href), children: inside() }]
      case 'image': {
        const { href, text } = token as Tokens.Image
        return [{ tag: 'img', src: href, alt: text }]
      }
      case 'list': {
        const { ordered, items } = token as Tokens.List
        const children = items.map(
          (item): GuideElement => ({ tag: 'li', children: toNodes(item.tokens, link) }),
        )
        return [{ tag: ordered ? 'ol' : 'ul', children }]
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table
        const toRow = (cells: readonly Tokens.TableCell[]): GuideElement => ({
          tag: 'tr',
          children: cells.map((cell) => ({ tag: 'td', children: toNodes(cell.tokens, link) })),
        })
        return [{ tag: 'table', children: [header, ...rows].map(toRow) }]
      }
      default:
        throw new Error(`the guide does not support this (${token.type}): ${token.raw}`)
    }
  })
}

function isPicture(token: Token): boolean {
  const inside = 'tokens' in token ? token.tokens : undefined
  return inside?.length === 1 && inside[0]?.type === 'image'
}

/** All elements with this tag, in their order. */
function elementsIn(nodes: readonly GuideNode[], tag: GuideElement['tag']): GuideElement[] {
  return nodes.flatMap((node) =>
    typeof node === 'string'
      ? []
      : [...(node.tag === tag ? [node] : []), ...elementsIn(node.children ?? [], tag)],
  )
}

function nodesOf({ intro, sections }: GuideChapter): GuideNode[] {
  return [...intro, ...sections.flatMap(({ body }) => body)]
}

function linksIn(nodes: readonly GuideNode[]): string[] {
  return elementsIn(nodes, 'a').map(({ href = '' }) => href)
}

/** Names of the pictures of some chapters, from the guide's folder on. */
export function picturesOf(chapters: readonly GuideChapter[]): string[] {
  const names = chapters.flatMap((chapter) => elementsIn(nodesOf(chapter), 'img').map(({ src = '' }) => src))
  return [...new Set(names)]
}

/** Dead links and missing pictures, one line each. */
export function findFaults(chapters: readonly GuideChapter[]): string[] {
  const places = new Set(
    chapters.flatMap(({ slug, sections }) => [slug, ...sections.map(({ id }) => `${slug}#${id}`)]),
  )
  const links = chapters.flatMap((chapter) =>
    linksIn(nodesOf(chapter))
      .map((href) => (href.startsWith('#') ? chapter.slug + href : href.replace('/admin/ajuda/', '')))
      .filter((place) => !places.has(place))
      .map((place) => `${chapter.slug} links to ${place}`),
  )
  const pictures = picturesOf(chapters)
    .filter((name) => !existsSync(join(FOLDER, name)))
    .map((name) => `there is no ${name}`)
  return [...links, ...pictures]
}

/** The bundler adds a hash of the content to each name. */
function toModule(chapters: readonly GuideChapter[]): string {
  const faults = findFaults(chapters)
  if (faults.length > 0) throw new Error(`${FOLDER}: ${faults.join('; ')}`)
  const names = picturesOf(chapters)
  const imports = names.map((name, at) => `import p${at} from ${JSON.stringify(resolve(FOLDER, name))}`)
  const entries = names.map((name, at) => {
    const { width, height } = readSize(readFileSync(join(FOLDER, name)))
    return `${JSON.stringify(name)}:{src:p${at},width:${width},height:${height}}`
  })
  return [
    ...imports,
    `export const PICTURES={${entries.join(',')}}`,
    `export const CHAPTERS=${JSON.stringify(chapters)}`,
  ].join('\n')
}

/** Of a WebP file as `npm run pictures` writes it: with the frame alone, or with a header before it (RFC 9649, section 2). */
function readSize(file: Buffer): { width: number; height: number } {
  const form = file.toString('latin1', 12, 16)
  if (form === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
  if (form !== 'VP8 ') throw new Error('not a lossy WebP file')
  return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
}
