import type { OptionalCategory } from '#contract/consent.ts'
import type { ActiveTool, ServedFile } from '#contract/inventory.ts'
import type { PixelType } from '#contract/pixel.ts'

/** One tag of those on the public page. */
export interface ServedTag {
  pixelId: string
  revision: string
  type: PixelType
  vendors: readonly string[]
  account: string | null
  category: OptionalCategory
  toldBy: readonly string[]
  hosts: readonly string[]
  files: readonly ServedFile[]
}

/** What the public page is served with now, as far as it can change. */
export interface ServedPage {
  /** Of the database when it was read. */
  tagsVersion: number
  /** Hash of the manifest; empty for no tag. */
  tagSetVersion: string
  headersHash: string
  tools: readonly ActiveTool[]
  tags: readonly ServedTag[]
}

/** Which revision of each tag this process noted last. */
export interface NotedTags {
  tagsVersion: number
  revisions: ReadonlyMap<string, string>
}

export function revisionsOf(tags: readonly ServedTag[]): Map<string, string> {
  const revisions = new Map<string, string>()
  for (const { pixelId, revision } of tags) revisions.set(pixelId, revision)
  return revisions
}
