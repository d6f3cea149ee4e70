import type { ConsentCategory } from './consent.ts'
import type { PixelType } from './pixel.ts'

/** One thing that a tag does, in the order of its snippet. */
export type TagStep =
  /** Code of the snippet, served by us: runs in order, as the classic or module script that it was. */
  | { kind: 'own'; src: string; attributes: Record<string, string> }
  /** A vendor's file. The next step waits for it unless the snippet said `async`. */
  | { kind: 'vendor'; src: string; attributes: Record<string, string>; wait: boolean }
  /** A bare `<img>`: the oldest kind of pixel. */
  | { kind: 'image'; src: string }

export interface ManifestTag {
  /** Identifier of the pixel's row. */
  id: string
  type: PixelType
  category: ConsentCategory
  /** The vendor's ID, which tells two tags of one host apart. */
  vendorId: string | null
  /** Hosts of scripts that the tag is known to load: how a blocked one is told. */
  hosts: string[]
  steps: TagStep[]
}

/** What `/tags/<hash>.js`, the one address in the page, exports as `tags`. */
export interface TagManifest {
  tags: ManifestTag[]
}

/** Attributes of the page's `<html>` element; both are absent while no tag is active. */
export const TAG_SET_ATTRIBUTE = 'data-tags'
/** Letters of the categories that have a tag. */
export const TAG_CATEGORIES_ATTRIBUTE = 'data-tag-kinds'

export function tagPath(hash: string): string {
  return `/tags/${hash}.js`
}
