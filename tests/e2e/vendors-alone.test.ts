import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { VENDORS } from '#server/vendors/vendors.ts'
import { startVendorSite, type VendorSite } from '../support/vendor-site.ts'
import { independentGroups } from '../support/vendor-stand-ins/independent-groups.ts'
import { STAND_INS } from '../support/vendor-stand-ins/stand-ins.ts'

const opens = (id: string) => Object.values(VENDORS.find((vendor) => vendor.id === id)?.hosts ?? {}).flat()
const GROUPS = independentGroups(STAND_INS, opens)

let vendorSite: VendorSite
beforeAll(async () => {
  vendorSite = await startVendorSite()
})
afterAll(() => vendorSite.close())
beforeEach(() => vendorSite.removeAll())

test.each(GROUPS.map((group) => [group.map(({ vendor }) => vendor).join(', '), group] as const))(
  'by itself, from the paste to the vendor: %s',
  async (_names, group) => {
    for (const { snippet, account } of group) await vendorSite.paste(snippet(account))
    const { page, context, stopped } = await vendorSite.visit()
    await page.getByRole('button', { name: 'Aceitar todos' }).click()
    try {
      await vendorSite.untilPageViews(group)
    } finally {
      console.log(
        await stopped(),
        vendorSite.vendors.strays(),
        (await fetch(vendorSite.site.url)).headers.get('content-security-policy')?.length,
        vendorSite.vendors.seen(),
      )
    }
    expect(await stopped()).toEqual([])
    expect(vendorSite.vendors.strays()).toEqual([])
    await context.close()
  },
)
