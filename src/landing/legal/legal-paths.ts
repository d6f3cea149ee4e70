import type { LegalSlug } from './document.ts'

/** Where a document is a page. */
export function legalPagePath(slug: LegalSlug): string {
  return `/${slug}`
}

/** Where the dialog gets a document as JSON: only what is opened is ever sent. */
export function legalJsonPath(slug: LegalSlug): string {
  return `/api/legal/${slug}`
}
