import { expect, vi } from 'vitest'
import { VENDORS } from '#server/vendors/vendors.ts'
import type { VendorStandIn } from './vendor-stand-in.ts'
import type { StandIn } from './vendor-stand-ins/stand-in.ts'
import { STAND_INS } from './vendor-stand-ins/stand-ins.ts'

/** The target of "Abrir Conta". */
export const APP_URL = 'https://cdn.custom-vendor.com/app'
/** For every label that a vendor needs. */
export const LABELS = { lead: '70011223', contact: '70011223', sign_up: '70011223' }

/** Every vendor that works isolated according to the catalogue. */
export const ISOLATED_STAND_INS = STAND_INS.filter(
  ({ vendor }) => VENDORS.find(({ id }) => id === vendor)?.isolated === 'works',
)
/** Those that get conversions. */
export const CONVERTING = ISOLATED_STAND_INS.filter(
  ({ vendor }) => VENDORS.find(({ id }) => id === vendor)?.conversion !== undefined,
)

interface Exit {
  vendors: VendorStandIn
  /** Opens the page, where every tag may run. */
  arrive(): Promise<void>
  /** Clicks the conversion link, which leads away. */
  leave(): Promise<void>
}

/** The vendors that did not get the conversion with which a visitor left, after all had page views. */
export async function leaveAtOnce({ vendors, arrive, leave }: Exit): Promise<string[]> {
  vendors.clear()
  // A document, because 204 would lead nowhere.
  vendors.serve('cdn.custom-vendor.com/app/register', '')
  const heardOf = ({ vendor, account, pageView }: StandIn, isPageView: boolean) =>
    vendors.hits.some(
      ({ heard }) =>
        heard?.vendor === vendor && heard.account === account && (heard.event === pageView) === isPageView,
    )
  const missing = (some: readonly StandIn[], isPageView: boolean) =>
    some.filter((standIn) => !heardOf(standIn, isPageView)).map(({ vendor }) => vendor)
  await arrive()
  await vi.waitFor(() => expect(missing(ISOLATED_STAND_INS, true)).toEqual([]), { timeout: 30_000 })
  await leave()
  await vi.waitFor(() => expect(vendors.seen()).toContain('cdn.custom-vendor.com/app/register'), 30_000)
  // Requests get time to arrive.
  await vi.waitFor(() => expect(missing(CONVERTING, false)).toEqual([]), 30_000).catch(() => {})
  return missing(CONVERTING, false)
}
