import type { TagKind } from '#contract/tag-status.ts'
import type { CompiledStep, HeadItem } from './compiled-tag.ts'

interface SnippetParts {
  steps: readonly CompiledStep[]
  head: readonly HeadItem[]
  hasNoscript: boolean
  isLink: boolean
}

export function kindOfSnippet({ steps, head, hasNoscript, isLink }: SnippetParts): TagKind {
  if (steps.some(({ kind }) => kind !== 'image')) return 'script'
  if (steps.length > 0) return 'image'
  if (head.length > 0) return 'head'
  if (hasNoscript) return 'noscript'
  return isLink ? 'link' : 'nothing'
}
