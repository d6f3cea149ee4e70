import type { OptionalCategory } from './consent.ts'

/** What a tool leaves in a visitor's browser. */
export interface ToolCookie {
  name: string
  /** In words: "90 dias", "sessão". */
  duration: string
  /** Null where the catalogue says nothing. */
  purpose: string | null
  /** The domain of a cookie that is not of this site; null for one that is. */
  domain: string | null
  kind: 'cookie' | 'local_storage' | 'session_storage'
}

/** One tool that is on the site now, as the cookie policy tells it. Nothing that an administrator named is in it. */
export interface ActiveTool {
  category: OptionalCategory
  /** Of the catalogue; null for code that is nobody's whom it knows. */
  vendor: string | null
  name: string
  company: string | null
  /** ISO 3166-1. */
  country: string | null
  purpose: string
  /** Where it gets what it gets: from the visitor's browser, from our server, or both. */
  told_by: ('browser' | 'server')[]
  cookies: ToolCookie[]
  /** Addresses beyond those of its vendor. */
  hosts: string[]
}

/** The living part of the cookie policy. */
export interface ActiveToolList {
  tools: readonly ActiveTool[]
  /** When the list became what it is. */
  changed_at: string
}
