/** A request that arrived at a stand-in. */
export interface VendorRequest {
  host: string
  path: string
  query: URLSearchParams
  method: string
  body: string
}

/** A vendor's answer. A GIF and a 204 have no CORS headers, as from most vendors. */
export type Answer =
  | { script: string }
  | { json: unknown }
  | { redirect: (request: VendorRequest) => string }
  /** After two seconds; a page that reports earlier has not seen it. */
  | 'slow gif'
  | 'gif'
  | '204'
  | 'frame'
  | 'never'

/** The event and account of a request; null if it has none. */
export type Hear = (request: VendorRequest) => { event: string; account: string } | null

/**
 * One vendor as the catalogue describes it, without its code: the snippet, the files of its hosts, what they leave in
 * the browser, and what they send where.
 */
export interface StandIn {
  /** Its id in the catalogue. */
  vendor: string
  account: string
  /** The pasted snippet. */
  snippet: (account: string) => string
  /** By `host/path`; a `*` at the end matches whatever follows. */
  answers: Record<string, Answer>
  hear: Hear
  /** Its name for a page view. */
  pageView: string
  /** What `leave()` in its scripts writes on our domain. */
  leaves: { cookies?: string[]; local?: string[]; session?: string[] }
  /** A required host that the pasted code does not name; null if the code names all. */
  needs: string | null
}
