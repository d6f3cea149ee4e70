import type { HostVendor } from '#contract/tag-status.ts'
import { vendorOfHost } from './vendor-of-host.ts'

/** The catalogue first. The wider list names and never permits; its 200 KB are loaded when a host needs them. */
export async function nameHost(host: string): Promise<HostVendor | null> {
  const vendor = vendorOfHost(host)
  if (vendor !== null) return { id: vendor.id, name: vendor.name }
  const { default: wider } = await import('third-party-web/nostats-subset.js')
  const entity = wider.getEntity(host)
  return entity === undefined || entity === null ? null : { id: null, name: entity.name }
}
