import { vendorById } from '#server/vendors/marks.ts'
import type { Vendor } from '#server/vendors/vendor.ts'

/** What the catalogue says of a vendor; of one that only another version knew, its id. */
export function describeVendor(id: string): Pick<Vendor, 'id' | 'name' | 'company' | 'country' | 'purpose'> {
  const vendor = vendorById(id)
  if (vendor === undefined)
    return { id, name: id, company: 'empresa que não consta do catálogo', country: '', purpose: '' }
  const { name, company, country, purpose } = vendor
  return { id, name, company, country, purpose }
}
