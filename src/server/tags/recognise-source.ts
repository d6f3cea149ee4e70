import type { TagSources } from '../http/content-security-policy.ts'
import { recogniseVendors } from '../vendors/recognise-vendors.ts'
import type { TagSource, VendorMark } from './compiled-tag.ts'
import { SOURCE_KEYS } from './source-keys.ts'
import { marksBeyondType, marksOfPixel, sourcesOfVendors, vendorById } from './vendor-sources.ts'

/** What the catalogue says of a snippet. The thread that compiles it is told, and need not load the catalogue. */
export interface Recognition {
  vendors: VendorMark[]
  /** Those whose hosts the type does not bring, and these hosts. */
  beyondType: VendorMark[]
  addedHosts: string[]
  /** All that the pixel's vendors may reach. */
  known: TagSources
  /** True when it is the link of a vendor that needs no code. */
  isLink: boolean
}

export function recogniseSource({ type, code }: TagSource): Recognition {
  const vendors = recogniseVendors(code).map(({ vendor, id }) => ({ id: vendor.id, account: id }))
  const beyondType = marksBeyondType(type, vendors)
  const added = sourcesOfVendors(beyondType)
  return {
    vendors,
    beyondType,
    addedHosts: [...new Set(SOURCE_KEYS.flatMap((key) => added[key]))],
    known: sourcesOfVendors(marksOfPixel(type, vendors)),
    isLink: vendors.some(({ id }) => vendorById(id)?.kind === 'link'),
  }
}
