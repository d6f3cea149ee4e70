import type { LegalSlug } from './document.ts'

/** Path of a document's page. */
export function legalPagePath(slug: LegalSlug): string {
  return `/${slug}`
}

/** Path of a document as JSON for the dialog: only what is opened is sent. */
export function legalJsonPath(slug: LegalSlug): string {
  return `/api/legal/${slug}`
}

/** The footer's link to the preferences. A visit to `/#preferencias` opens them: the legal pages have no scripts. */
export const PREFERENCES_ID = 'preferencias'
