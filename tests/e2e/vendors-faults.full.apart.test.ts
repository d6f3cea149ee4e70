// Needs a browser: the policy stops a vendor’s request in the visit.
import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { TAG_REPORT_PATH } from '#contract/tag-report.ts'
import type { PixelStatus } from '#contract/tag-status.ts'
import { falselyGreen } from '../support/falsely-green.ts'
import { startVendorSite, type VendorSite } from '../support/vendor-site.ts'
import type { StandIn } from '../support/vendor-stand-ins/stand-in.ts'
import { STAND_INS } from '../support/vendor-stand-ins/stand-ins.ts'

/** The catalogue without one host that each vendor needs and that its code does not name. */
vi.mock('#server/vendors/vendors.ts', async (importOriginal) => {
  const { VENDORS } = await importOriginal<typeof import('#server/vendors/vendors.ts')>()
  const { STAND_INS: standIns } = await import('../support/vendor-stand-ins/stand-ins.ts')
  const { hostsOf } = await import('../support/vendor-stand-ins/independent-groups.ts')
  const needed = standIns.flatMap(({ needs }) => needs ?? [])
  return {
    VENDORS: VENDORS.map((vendor) => {
      const standIn = standIns.find((each) => each.vendor === vendor.id)
      const without = (entry: string): string[] => {
        const isBelow = (host: string) => entry.startsWith('*.') && host.endsWith(entry.slice(1))
        if (!needed.some(isBelow)) return needed.includes(entry) ? [] : [entry]
        // What else the vendor uses below a wildcard.
        const used = standIn === undefined ? [] : hostsOf(standIn)
        return used.filter((host) => isBelow(host) && !needed.includes(host))
      }
      const hosts = Object.entries(vendor.hosts).map(([name, entries]) => [name, entries.flatMap(without)])
      return { ...vendor, hosts: Object.fromEntries(hosts) }
    }),
  }
})

const LACKING = STAND_INS.filter(({ needs }) => needs !== null)
/** Hosts in the noscript part are opened too: without it, only the catalogue can. */
const withoutNoscript = (code: string) => code.replace(/<noscript>[\s\S]*?<\/noscript>/g, '')
/** The host of its first file. */
const firstHost = ({ answers }: StandIn) => Object.keys(answers)[0]?.split('/', 1)[0] ?? ''

let vendorSite: VendorSite
let ids: string[]
beforeAll(async () => {
  vendorSite = await startVendorSite()
  ids = await vendorSite.add(LACKING.map(({ snippet, account }) => withoutNoscript(snippet(account))))
})
afterAll(() => vendorSite.close())

const contexts: BrowserContext[] = []
/** Not with the report: a running one does not arrive when its browser is gone. */
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
})

/** A visitor who accepts, and stays until the tags were reported. */
async function visit(blocked: readonly string[] = []): Promise<void> {
  const { page, context } = await vendorSite.visit(async (visitor) => {
    for (const host of blocked) {
      await visitor.route(`https://${host}/**`, (route) => route.abort('blockedbyclient'))
    }
  })
  contexts.push(context)
  const reported = page.waitForRequest((request) => request.url().endsWith(TAG_REPORT_PATH))
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await reported
}

/** The result of each once reports were counted, in the order of the vendors. */
async function expectEach<Found>(
  find: (status: PixelStatus) => Found,
  expected: (standIn: StandIn) => Found,
): Promise<PixelStatus[]> {
  return vi.waitFor(
    async () => {
      const statuses = await vendorSite.untilJudged(ids)
      const found = statuses.map((status, index) => [LACKING[index]?.vendor, find(status)])
      expect(found).toEqual(LACKING.map((standIn) => [standIn.vendor, expected(standIn)]))
      return statuses
    },
    { timeout: 60_000, interval: 250 },
  )
}

test('without a host that it needs, each is faulty, with the host and the button', async () => {
  await visit()
  const statuses = await expectEach(
    ({ health, reasons }) => [health, reasons.find(({ action }) => action?.kind === 'permit')?.host],
    ({ needs }) => ['partial', needs ?? undefined],
  )
  expect(falselyGreen(vendorSite.vendors, LACKING, statuses)).toEqual([])
  for (const { reasons } of statuses) {
    for (const { action } of reasons) {
      if (action?.kind !== 'permit') continue
      const answer = await vendorSite.call('POST', '/admin/api/blocked-hosts/allow', { ids: action.ids })
      expect(answer.status).toBe(200)
    }
  }
})

test('"Permitir" fixes it: the next visit reaches every one', async () => {
  vendorSite.vendors.clear()
  await visit()
  await vendorSite.untilPageViews(LACKING)
  await expectEach(
    ({ health, reasons }) => [
      health,
      ...reasons.map(({ code }) => code).filter((code) => code !== 'not_confirmed'),
    ],
    () => ['working'],
  )
})

test('reports what a blocker stops as blocked, not as our policy', async () => {
  await visit(LACKING.map(firstHost))
  await expectEach(
    ({ health, reasons: [reason] }) => [health, reason?.code, reason?.message.includes('bloqueador')],
    () => ['partial', 'blocked_in_browser', true],
  )
})
