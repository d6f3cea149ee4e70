import type { ConsentCategory } from './consent.ts'
import type { Conversion } from './conversions.ts'
import type { PixelType } from './pixel.ts'

/** One thing that a tag does, in the order of its snippet. */
export type TagStep =
  /** Code of the snippet, served by us: runs in order, as the classic or module script that it was. */
  | { kind: 'own'; src: string; attributes: Record<string, string> }
  /** A vendor's file. The next step waits for it unless the snippet said `async`. */
  | { kind: 'vendor'; src: string; attributes: Record<string, string>; wait: boolean }
  /** A bare `<img>`: the oldest kind of pixel. */
  | { kind: 'image'; src: string }

/** How a vendor's script is told of something; `$id` in a text is the conversion's own ID. */
export interface ConversionCall {
  /** A function of the page: `fbq`, `ttq.track`. */
  call: string
  args: unknown[]
}

/** How a tag's page view is told from its other requests. */
export interface TagHit {
  hosts: string[]
  /** What its address carries: letters, digits, `_` and `-`. */
  id: string | null
  /** The page view is the script itself; of any other vendor a script proves only that it was loaded. */
  byScript?: true
}

export interface ManifestTag {
  /** Identifier of the pixel's row. */
  id: string
  type: PixelType
  category: ConsentCategory
  /** The vendor's ID, which tells two tags of one host apart. */
  vendorId: string | null
  /** What the policy opens for it, with or without a leading `*.`: how a request is told to be this tag's. */
  hosts: string[]
  steps: TagStep[]
  /** Where its page view goes, and the ID that its address then carries. */
  hit?: TagHit
  conversions?: Partial<Record<Conversion, ConversionCall[]>>
  /** What its vendors leave in the browser, as `name`, `prefix*` or `/pattern/`: deleted when consent is taken back. */
  leaves?: { cookies?: string[]; local?: string[]; session?: string[] }
  /** Hash of the document in which it runs apart from the page, which then has no steps of it. */
  room?: string
}

/** What `/tags/<hash>.js`, the one address in the page, exports. */
export interface TagManifest {
  tags: ManifestTag[]
  /** Categories in which our server tells a vendor of what the page tells the server. */
  told?: ConsentCategory[]
}

/** Attributes of the page's `<html>` element; both are absent while no tag is active. */
export const TAG_SET_ATTRIBUTE = 'data-tags'
/** Letters of the categories that have a tag. */
export const TAG_CATEGORIES_ATTRIBUTE = 'data-tag-kinds'
/** The version of the words that the page asks with, where it is not the ordinary one. */
export const TEXT_VERSION_ATTRIBUTE = 'data-text'

export function tagPath(hash: string): string {
  return `/tags/${hash}.js`
}
