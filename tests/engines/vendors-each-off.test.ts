import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendorSite, type VendorSite } from '../support/vendor-site.ts'
import { STAND_INS } from '../support/vendor-stand-ins/stand-ins.ts'

/** All but the container, beside which the policy would prove nothing. */
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

test.each(ALL.map(({ vendor }) => vendor))('without %s all the others arrive', async (vendor) => {
  const id = pixels.get(vendor) ?? ''
  await vendorSite.site.forgetLimits()
  await vendorSite.change(id, { is_active: false })
  vendorSite.vendors.clear()
  const { page, context, stopped } = await vendorSite.visit()
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await vendorSite.untilPageViews(ALL.filter((other) => other.vendor !== vendor))
  expect(await stopped()).toEqual([])
  expect(vendorSite.vendors.hits.filter(({ heard }) => heard?.vendor === vendor)).toEqual([])
  await context.close()
  await vendorSite.change(id, { is_active: true })
})
