// Needs a browser: the scripts of all vendors but one run on one page.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendorSite, type VendorSite } from '../support/vendor-site.ts'
import { STAND_INS } from '../support/vendor-stand-ins/stand-ins.ts'

/** All but the container, beside which the policy proves nothing. */
const ALL = STAND_INS.filter(({ vendor }) => vendor !== 'google-tag-manager')

let vendorSite: VendorSite
const pixels = new Map<string, string>()
beforeAll(async () => {
  vendorSite = await startVendorSite()
  for (const { vendor, snippet, account } of ALL) {
    pixels.set(vendor, (await vendorSite.paste(snippet(account))).id)
  }
})
afterAll(() => vendorSite.close())

/** Rows and columns of a square: for any two vendors, one is switched off once while the other is not. */
const SIDE = Math.ceil(Math.sqrt(ALL.length))
const GROUPS = Array.from({ length: SIDE }, (_, at) => at).flatMap((at) => [
  ALL.filter((_, index) => index % SIDE === at),
  ALL.filter((_, index) => Math.floor(index / SIDE) === at),
])

test.each(
  GROUPS.filter((group) => group.length > 0).map(
    (group) => [group.map(({ vendor }) => vendor).join(', '), group] as const,
  ),
)('without %s all the others arrive', async (_names, group) => {
  const switchGroup = async (is_active: boolean) => {
    for (const { vendor } of group) await vendorSite.change(pixels.get(vendor) ?? '', { is_active })
  }
  await vendorSite.site.forgetLimits()
  await switchGroup(false)
  vendorSite.vendors.clear()
  const { page, context, stopped } = await vendorSite.visit()
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await vendorSite.untilPageViews(ALL.filter((other) => !group.includes(other)))
  expect(await stopped()).toEqual([])
  const off = group.map(({ vendor }) => vendor as string)
  expect(vendorSite.vendors.hits.filter(({ heard }) => off.includes(heard?.vendor ?? ''))).toEqual([])
  await context.close()
  await switchGroup(true)
})
