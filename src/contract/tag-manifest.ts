import type { ConsentCategory } from './consent.ts'
import type { Conversion } from './conversions.ts'
import type { PixelType } from './pixel.ts'

/** One step of a tag, in the order of its snippet. */
export type TagStep =
  /** Code of the snippet, served by us: runs in order, as a classic or module script. */
  | { kind: 'own'; src: string; attributes: Record<string, string> }
  /** A vendor's file. The next step waits for it unless the snippet said `async`. */
  | { kind: 'vendor'; src: string; attributes: Record<string, string>; wait: boolean }
  /** A plain `<img>`. */
  | { kind: 'image'; src: string }

/** A call that sends something to a vendor's script; `$id` in a text is the conversion's ID. */
export interface ConversionCall {
  /** A function of the page: `fbq`, `ttq.track`. */
  call: string
  args: unknown[]
}

/** How a tag's page view is recognised among its requests. */
export interface TagHit {
  hosts: string[]
  /** The ID in its address: letters, digits, `_` and `-`. */
  id: string | null
  /** The page view is the script itself; for other vendors a script only proves that it was loaded. */
  byScript?: true
}

export interface ManifestTag {
  /** Id of the pixel. */
  id: string
  type: PixelType
  category: ConsentCategory
  /** The vendor's ID, which distinguishes two tags of one host. */
  vendorId: string | null
  /** Hosts of its policy, with or without `*.`: identify a request as this tag's. */
  hosts: string[]
  steps: TagStep[]
  /** Where its page view is sent, and the ID in its address. */
  hit?: TagHit
  conversions?: Partial<Record<Conversion, ConversionCall[]>>
  /** What its vendors leave in the browser, as `name`, `prefix*` or `/pattern/`: deleted when consent is withdrawn. */
  leaves?: { cookies?: string[]; local?: string[]; session?: string[] }
  /** Hash of its isolated frame's document; it then has no steps in the page. */
  room?: string
}

/** The export of `/tags/<hash>.js`, the one address in the page. */
export interface TagManifest {
  tags: ManifestTag[]
  /** Categories in which our server sends the page's events to a vendor. */
  told?: ConsentCategory[]
}

/** Attributes of the page's `<html>` element; both are absent while no tag is active. */
export const TAG_SET_ATTRIBUTE = 'data-tags'
/** Letters of the categories with a tag. */
export const TAG_CATEGORIES_ATTRIBUTE = 'data-tag-kinds'
/** Version of the page's wording, if it is not the ordinary one. */
export const TEXT_VERSION_ATTRIBUTE = 'data-text'

export function tagPath(hash: string): string {
  return `/tags/${hash}.js`
}
