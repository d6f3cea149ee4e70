import type { TagKind } from '#contract/tag-status.ts'
import type { CompiledStep, HeadItem, VendorMark } from './compiled-tag.ts'
import { vendorById } from './vendor-sources.ts'

interface SnippetParts {
  steps: readonly CompiledStep[]
  head: readonly HeadItem[]
  vendors: readonly VendorMark[]
  hasNoscript: boolean
}

export function kindOfSnippet({ steps, head, vendors, hasNoscript }: SnippetParts): TagKind {
  if (steps.some(({ kind }) => kind !== 'image')) return 'script'
  if (steps.length > 0) return 'image'
  if (head.length > 0) return 'head'
  if (hasNoscript) return 'noscript'
  return vendors.some(({ id }) => vendorById(id)?.kind === 'link') ? 'link' : 'nothing'
}
