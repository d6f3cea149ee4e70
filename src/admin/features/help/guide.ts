import { foldText, matchesSearch } from '#admin/components/table.tsx'

/** Text, or an element with its content. `scripts/guide.ts` generates these from `docs/guia/`, without HTML. */
export type GuideNode = string | GuideElement

export interface GuideElement {
  tag: 'p' | 'ul' | 'ol' | 'li' | 'strong' | 'em' | 'code' | 'a' | 'img' | 'table' | 'tr' | 'td'
  children?: GuideNode[]
  /** Target of a link: a chapter, a heading of one, or a heading of the same chapter. */
  href?: string
  /** Name of a picture in `PICTURES`. */
  src?: string
  alt?: string
}

interface GuideSection {
  id: string
  title: string
  body: GuideNode[]
}

export interface GuideChapter {
  /** Its file name without extension, which is also its part of the address. */
  slug: string
  title: string
  /** What precedes the first section. */
  intro: GuideNode[]
  sections: GuideSection[]
}

/** Its searchable text, without pictures, markup and table headings. */
export function textOf(nodes: readonly GuideNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node
      const { tag, children = [] } = node
      if (tag === 'tr') return `${children.map((cell) => textOf([cell])).join(' · ')} `
      const text = textOf(tag === 'table' ? children.slice(1) : children)
      return tag === 'p' || tag === 'li' ? `${text} ` : text
    })
    .join('')
}

export interface FoundSection {
  chapter: GuideChapter
  /** Null for what precedes the first section. */
  section: GuideSection | null
  title: string
  excerpt: { before: string; match: string; after: string }
}

/** Sections with every word of the search; matches in the title come first. */
export function searchGuide(chapters: readonly GuideChapter[], search: string): FoundSection[] {
  const found = chapters.flatMap((chapter) =>
    [null, ...chapter.sections].flatMap((section): FoundSection[] => {
      const title = section?.title ?? chapter.title
      const text = textOf(section?.body ?? chapter.intro)
      if (!matchesSearch(search.trim(), [title, text])) return []
      return [{ chapter, section, title, excerpt: excerptOf(text, search) }]
    }),
  )
  const isInTitle = ({ title }: FoundSection) => matchesSearch(search.trim(), [title])
  return [...found.filter(isInTitle), ...found.filter((each) => !isInTitle(each))]
}

const BEFORE = 60

const AFTER = 140

/** The text around the longest matching word. */
function excerptOf(text: string, search: string): FoundSection['excerpt'] {
  // Folding keeps the length of Portuguese text, so positions match.
  const folded = foldText(text)
  const places = foldText(search)
    .trim()
    .split(/\s+/)
    .flatMap((word) => (folded.includes(word) ? [{ at: folded.indexOf(word), length: word.length }] : []))
  const { at, length } = places.sort((a, b) => b.length - a.length)[0] ?? { at: 0, length: 0 }
  const from = at <= BEFORE ? 0 : text.indexOf(' ', at - BEFORE) + 1
  const start = Math.min(from, at)
  const end = text.length <= at + AFTER ? text.length : text.lastIndexOf(' ', at + AFTER)
  return {
    before: `${start > 0 ? '… ' : ''}${text.slice(start, at)}`,
    match: text.slice(at, at + length),
    after: `${text.slice(at + length, Math.max(end, at + length)).trimEnd()}${end < text.length ? ' …' : ''}`,
  }
}
