import { expect, vi } from 'vitest'
import { VENDORS } from '#server/vendors/vendors.ts'
import type { VendorStandIn } from './vendor-stand-in.ts'
import type { StandIn } from './vendor-stand-ins/stand-in.ts'
import { STAND_INS } from './vendor-stand-ins/stand-ins.ts'

/** Where "Abrir Conta" leads. */
export const APP_URL = 'https://cdn.custom-vendor.com/app'
/** For every label that a vendor asks for. */
export const LABELS = { lead: '70011223', contact: '70011223', sign_up: '70011223' }

/** Every vendor that the catalogue says works in a room. */
export const ROOMMATES = STAND_INS.filter(
  ({ vendor }) => VENDORS.find(({ id }) => id === vendor)?.isolated === 'works',
)
/** Those of them that are told of conversions. */
export const TOLD = ROOMMATES.filter(
  ({ vendor }) => VENDORS.find(({ id }) => id === vendor)?.conversion !== undefined,
)

interface Departure {
  vendors: VendorStandIn
  /** Opens the page, where every tag may run. */
  arrive(): Promise<void>
  /** Clicks on the link that is a conversion and leads away. */
  leave(): Promise<void>
}

/** The vendors that did not hear of the conversion by which a visitor left, once all had been there. */
export async function leaveAtOnce({ vendors, arrive, leave }: Departure): Promise<string[]> {
  vendors.clear()
  // A document, for 204 would lead nowhere.
  vendors.serve('cdn.custom-vendor.com/app/register', '')
  const heardOf = ({ vendor, account, pageView }: StandIn, isPageView: boolean) =>
    vendors.hits.some(
      ({ heard }) =>
        heard?.vendor === vendor && heard.account === account && (heard.event === pageView) === isPageView,
    )
  const missing = (some: readonly StandIn[], isPageView: boolean) =>
    some.filter((standIn) => !heardOf(standIn, isPageView)).map(({ vendor }) => vendor)
  await arrive()
  await vi.waitFor(() => expect(missing(ROOMMATES, true)).toEqual([]), { timeout: 30_000 })
  await leave()
  await vi.waitFor(() => expect(vendors.seen()).toContain('cdn.custom-vendor.com/app/register'), 30_000)
  // What was sent is given time to arrive.
  await vi.waitFor(() => expect(missing(TOLD, false)).toEqual([]), 30_000).catch(() => {})
  return missing(TOLD, false)
}
