// Needs a browser: the scripts of all vendors run on one page.
import { connect } from 'node:net'
import type { Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { VisitResultRow, VisitResults } from '#contract/visit-results.ts'
import { compressText } from '#server/http/static/responses.ts'
import { HEAD_LIMIT_BYTES } from '#server/tags/hosts/budget.ts'
import { neverIdle } from '../support/browser.ts'
import { falselyGreen } from '../support/falsely-green.ts'
import { CONVERTING, ISOLATED_STAND_INS, leaveAtOnce } from '../support/leave-at-once.ts'
import { noteShifts } from '../support/note-shifts.ts'
import { startVendorSite, type VendorSite } from '../support/vendor-site.ts'
import { metaPixel } from '../support/vendor-stand-ins/meta-pixel.ts'
import { STAND_INS } from '../support/vendor-stand-ins/stand-ins.ts'

/** All but the container, beside which the policy proves nothing: it allows whatever is loaded to load more. */
const ALL = STAND_INS.filter(({ vendor }) => vendor !== 'google-tag-manager')
const PAGE_LIMIT_BYTES = 11_500

let vendorSite: VendorSite
let ids: string[]
beforeAll(async () => {
  vendorSite = await startVendorSite({ compressPage: compressText })
  ids = await vendorSite.add(ALL.map(({ snippet, account }) => snippet(account)))
})
afterAll(() => vendorSite.close())

test('with all of them, headers and page stay within their limits', async () => {
  expect((await readPage()).head.length).toBeLessThan(HEAD_LIMIT_BYTES)
  // A change is served at once, and recompressed a moment later.
  await vi.waitFor(async () => expect((await readPage()).body).toBeLessThanOrEqual(PAGE_LIMIT_BYTES), 30_000)
})

test('a visitor who refuses contacts nobody, now and on the next visit; record and visit results show it', async () => {
  const { page, context } = await vendorSite.visit()
  const foreign: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(page.url())) foreign.push(request.url())
  })
  await page.getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  await page.reload({ waitUntil: 'networkidle' })
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 5_000 })))
  expect(foreign).toEqual([])
  expect(vendorSite.vendors.hits).toEqual([])
  await vi.waitFor(async () => {
    const records = await vendorSite.site.database.db.selectFrom('consent_records').selectAll().execute()
    expect(records).toMatchObject([{ action: 'reject', categories: [] }])
    // The reload was a visit without a choice: it is in no column.
    const said = await Promise.all(ids.map(visitResultsOf))
    expect(said).toEqual(ids.map(() => ({ offered: 1, not_consented: 1, blocked: 0, failed: 0, reached: 0 })))
  }, 30_000)
  await context.close()
})

test('a visitor who accepts reaches all of them, nothing shifts, and each is judged by what it did', async () => {
  const { page, context, stopped } = await vendorSite.visit()
  await page.evaluate(noteShifts)
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await vendorSite.untilPageViews(ALL)
  const statuses = await vendorSite.untilJudged(ids)
  expect(statuses.filter(({ health }) => health !== 'working')).toEqual([])
  expect(await stopped()).toEqual([])
  expect(await page.evaluate(() => (window as unknown as { shifts: number }).shifts)).toBe(0)
  await context.close()
})

/** Over all days: another one may begin during the test. */
async function visitResultsOf(id: string): Promise<Omit<VisitResultRow, 'from'>> {
  const answer = await vendorSite.call('GET', `/admin/api/pixels/${id}/ledger?step=day`)
  const { rows } = (await answer.json()) as VisitResults
  const sum = { offered: 0, not_consented: 0, blocked: 0, failed: 0, reached: 0 }
  for (const row of rows)
    for (const column of Object.keys(sum) as (keyof typeof sum)[]) sum[column] += row[column] ?? 0
  return sum
}

/** What each opens in the policy is tested without a browser (vendor-policy.test.ts); these two share most hosts. */
test('switching one off does not affect the others', async () => {
  const before = await vendorSite.overview()
  const others = (overview: typeof before, id: string) =>
    overview.pixels
      .filter(({ pixel_id }) => pixel_id !== id)
      .map(({ pixel_id, health, confirmed, hosts }) => ({ pixel_id, health, confirmed, hosts }))
  for (const vendor of ['google-ads', 'google-analytics-4']) {
    const id = ids[ALL.findIndex((standIn) => standIn.vendor === vendor)] ?? ''
    await vendorSite.change(id, { is_active: false })
    const without = await vendorSite.overview()
    expect(others(without, id)).toEqual(others(before, id))
    const policy = (await readPage()).head
    const missing = others(without, id)
      .flatMap(({ hosts }) => hosts)
      .filter(({ host }) => !isIn(policy, host))
    expect(missing).toEqual([])
    await vendorSite.change(id, { is_active: true })
  }
})

test('with a blocker that stops only beacons, no pixel is shown as working', async () => {
  await vendorSite.forgetVisits()
  const { page, context } = await vendorSite.visit((visitor) =>
    visitor.route(
      ({ hostname }) => hostname in vendorSite.vendors.resolve,
      (route) => (sendsEvent(route.request()) ? route.abort('blockedbyclient') : route.fallback()),
    ),
  )
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  const statuses = await vendorSite.untilJudged(ids)
  expect(vendorSite.vendors.hits.filter(({ heard }) => heard !== null)).toEqual([])
  expect(falselyGreen(vendorSite.vendors, ALL, statuses)).toEqual([])
  await context.close()
})

test('isolated they all work, the page has none of their hosts, and their data is deleted with the consent', async () => {
  await vendorSite.removeAll()
  const isolated = await vendorSite.addIsolated(ISOLATED_STAND_INS)
  const { head } = await readPage()
  const hosts = (await vendorSite.overview()).pixels.flatMap((pixel) => pixel.hosts.map(({ host }) => host))
  expect(hosts.length).toBeGreaterThan(50)
  expect(hosts.filter((host) => isIn(head, host))).toEqual([])
  // Nor do isolated frames wait for an idle period that never comes.
  const { page, context, stopped } = await vendorSite.visit((visitor) => visitor.addInitScript(neverIdle))
  await page.evaluate(noteShifts)
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await vendorSite.untilPageViews(ISOLATED_STAND_INS)
  const statuses = await vendorSite.untilJudged(isolated)
  expect(statuses.filter(({ health }) => health !== 'working')).toEqual([])
  expect(await stopped()).toEqual([])
  expect(await page.evaluate(() => (window as unknown as { shifts: number }).shifts)).toBe(0)
  const read = () =>
    page.evaluate(() => [document.cookie, ...Object.keys({ ...localStorage, ...sessionStorage })])
  await vi.waitFor(
    async () => expect((await read()).filter((key) => key.startsWith('portico_room_')).length).toBe(17),
    30_000,
  )
  expect((await read())[0]).toMatch(/^portico_consent=[^;]+$/)
  await page.getByRole('button', { name: 'Preferências de cookies' }).click()
  const reloaded = page.waitForEvent('load')
  await page.getByRole('dialog').getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  await reloaded
  // The page keeps the record of the withdrawal until it is stored.
  await expect.poll(read).toEqual([expect.stringMatching(/^portico_consent=[^;]+$/)])
  await context.close()
})

test.each(['click', 'Enter'])(
  'a conversion leaves every isolated frame once, although the link leads away at once: %s',
  async (way) => {
    let visited: Awaited<ReturnType<VendorSite['visit']>> | undefined
    const held: string[] = []
    const missing = await leaveAtOnce({
      vendors: vendorSite.vendors,
      arrive: async () => {
        visited = await vendorSite.visit((visitor) => visitor.addInitScript(tellPrevented))
        visited.page.on('console', (message) => message.text() === 'prevented' && held.push(message.text()))
        await visited.page.getByRole('button', { name: 'Aceitar todos' }).click()
      },
      leave: async () => {
        const link = visited?.page.getByRole('link', { name: 'Abrir Conta' }).first()
        await (way === 'click' ? link?.click() : link?.press(way))
      },
    })
    // Fifty clicks in each browser: docs/reports/vendors.md.
    expect(missing).toEqual([])
    // It waited for the frames, and was followed by itself.
    expect(held).toEqual(['prevented'])
    const { hits } = vendorSite.vendors
    const conversions = CONVERTING.map(({ vendor, pageView }) =>
      hits.filter(({ heard }) => heard?.vendor === vendor && heard.event !== pageView),
    )
    expect(conversions.filter((each) => each.length !== 1)).toEqual([])
    await visited?.context.close()
  },
)

/** In the page: reports which clicks on links were prevented. */
function tellPrevented(): void {
  const { preventDefault } = Event.prototype
  Event.prototype.preventDefault = function () {
    if (this.type === 'click' && (this.target as Element).closest('a') !== null) console.log('prevented')
    preventDefault.call(this)
  }
}

test('of two pixels of one vendor, only the one with an unknown account is reported', async () => {
  await vendorSite.removeAll()
  const unknown = '000000000000000'
  const two = await vendorSite.add([metaPixel.account, unknown].map(metaPixel.snippet))
  const { page, context } = await vendorSite.visit()
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await vendorSite.untilPageViews([metaPixel])
  // One visit proves nothing: three agree.
  const others = [await context.newPage(), await context.newPage()]
  await Promise.all(others.map((other) => other.goto(page.url())))
  await vi.waitFor(async () => {
    const [good, bad] = await vendorSite.untilJudged(two)
    expect(good).toMatchObject({ health: 'working' })
    expect(bad).toMatchObject({ health: 'broken', reasons: [{ code: 'nothing_sent' }] })
    expect(bad?.reasons[0]?.message).toContain(unknown)
  }, 60_000)
  await context.close()
})

/** True if a request sends an event to a vendor. */
function sendsEvent(request: Request): boolean {
  const { hostname, pathname: path, searchParams: query } = new URL(request.url())
  // X gets the same image at two hosts, and its stand-in listens at one.
  const host = hostname === 't.co' ? 'analytics.twitter.com' : hostname
  const vendorRequest = { host, path, query, method: request.method(), body: request.postData() ?? '' }
  return STAND_INS.some(({ hear }) => hear(vendorRequest) !== null)
}

/** True if the policy allows an entry: exactly, or by a wildcard. */
function isIn(policy: string, entry: string): boolean {
  const labels = entry.split('.')
  const sources = [entry, ...labels.map((_, index) => `*.${labels.slice(index + 1).join('.')}`)]
  const words = policy.replaceAll('https://', '').split(/[\s;]+/)
  return sources.some((source) => words.includes(source))
}

/** The headers of `/` as sent, and the size of the page. */
function readPage(): Promise<{ head: string; body: number }> {
  return new Promise((resolve, reject) => {
    const socket = connect(vendorSite.site.config.port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.once('error', reject)
    socket.once('close', () => {
      const answer = Buffer.concat(chunks)
      const end = answer.indexOf('\r\n\r\n') + 4
      resolve({ head: answer.subarray(0, end).toString('latin1'), body: answer.length - end })
    })
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\nconnection: close\r\n\r\n')
  })
}
