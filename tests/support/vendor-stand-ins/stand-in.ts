/** What arrived at a stand-in. */
export interface VendorRequest {
  host: string
  path: string
  query: URLSearchParams
  method: string
  body: string
}

/** How a vendor's host answers. A GIF and a 204 come as from most vendors: without a word on who may read them. */
export type Answer =
  | { script: string }
  | { json: unknown }
  | { redirect: (request: VendorRequest) => string }
  /** After two seconds; a page that reports earlier has not heard of it. */
  | 'slow gif'
  | 'gif'
  | '204'
  | 'frame'
  | 'never'

/** Which event a request tells, and of which account; null when it tells none. */
export type Hear = (request: VendorRequest) => { event: string; account: string } | null

/**
 * One vendor as the catalogue describes it, without a line of its code: what is pasted, which files its hosts serve, what
 * these leave in the browser, and where they send what.
 */
export interface StandIn {
  /** Its id in the catalogue. */
  vendor: string
  account: string
  /** What a person pastes. */
  snippet: (account: string) => string
  /** By `host/path`; a `*` at the end stands for whatever follows. */
  answers: Record<string, Answer>
  hear: Hear
  /** Its name for a page view. */
  pageView: string
  /** What `leave()` in its scripts writes on our own domain. */
  leaves: { cookies?: string[]; local?: string[]; session?: string[] }
  /** A host that it cannot do without and that the pasted code does not name; null when the code names all. */
  needs: string | null
}
