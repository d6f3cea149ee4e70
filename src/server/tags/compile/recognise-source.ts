import { SOURCE_KEYS, type TagSources } from '#server/http/security/content-security-policy.ts'
import { marksBeyondType, marksOfPixel, type VendorMark, vendorById } from '#server/vendors/marks.ts'
import { recogniseVendors } from '#server/vendors/recognise-vendors.ts'
import { sourcesOfVendors } from '../hosts/sources.ts'
import type { TagSource } from './compiled-tag.ts'

/** What the catalogue knows of a snippet. */
export interface Recognition {
  vendors: VendorMark[]
  /** The pixel's main vendor: that of its type, or the first that its code is recognised as. */
  vendor: string | null
  /** Vendors whose hosts the type does not bring. */
  beyondType: VendorMark[]
  addedHosts: string[]
  /** All hosts of the pixel's vendors. */
  known: TagSources
  /** True if it is a link of a vendor that needs no code. */
  isLink: boolean
  /** How conversions are sent to its vendors. */
  conversions: {
    vendor: string
    call: string
    /** The texts that every such call begins with. */
    begins: string[]
    /** One of these, unless the form asks for a label. */
    events: string[]
    hasLabel: boolean
  }[]
}

/** Only called in the compiler's thread: pasted text may be made to be slow. */
export function recogniseSource({ type, code }: TagSource): Recognition {
  const vendors = recogniseVendors(code).map(({ vendor, id }) => ({ id: vendor.id, account: id }))
  const marks = marksOfPixel(type, vendors)
  const beyondType = marksBeyondType(type, vendors)
  const added = sourcesOfVendors(beyondType)
  return {
    vendors,
    vendor: marks[0]?.id ?? null,
    beyondType,
    addedHosts: [...new Set(SOURCE_KEYS.flatMap((key) => added[key]))],
    known: sourcesOfVendors(marks),
    isLink: vendors.some(({ id }) => vendorById(id)?.kind === 'link'),
    conversions: marksOfPixel(type, vendors).flatMap(({ id }) => {
      const { name = '', conversion } = vendorById(id) ?? {}
      if (conversion === undefined) return []
      const events = [...Object.values(conversion.events), ...(conversion.formerEvents ?? [])]
      const texts = conversion.args.lead.filter((each) => typeof each === 'string')
      return {
        vendor: name,
        call: conversion.call,
        begins: texts.filter((text) => !text.includes('$') && !events.includes(text)),
        events,
        hasLabel: conversion.label !== undefined,
      }
    }),
  }
}
