import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PixelType } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import type { TagReport } from '#contract/tag-report.ts'
import type { PixelStatus, TagOverview } from '#contract/tag-status.ts'
import { adminCall } from '#tests/support/admin-call.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'

const ADS = `<script async src="https://www.googletagmanager.com/gtag/js?id=AW-1029384756"></script>
<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)};gtag('js',new Date());gtag('config','AW-1029384756')</script>`
const HOSTS = ['www.facebook.com', 'analytics.tiktok.com', 'px.unknown-agency.com']
const WAIT = { timeout: 30_000, interval: 50 }

describe.each(TIER_ENGINES)('requests blocked beside a container, on %s', (engine) => {
  let site: TestApp
  let call: Awaited<ReturnType<typeof adminCall>>
  let container: string
  let analytics: string
  let ads: string
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    call = await adminCall(site)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    const { db } = site.database
    for (const table of ['tracking_pixels', 'counts', 'blocked_hosts'] as const)
      await db.deleteFrom(table).execute()
    await site.forgetLimits()
    container = await add('google_tag_manager', 'GTM-PRT1C0')
    analytics = await add('google_analytics', 'G-PRT1C0AB12')
    ads = await add('custom', null, ADS)
  })

  /** Resolves when the page has the pixel. */
  const add = async (
    type: PixelType,
    pixel_id: string | null,
    code = generateSnippet(type, pixel_id ?? ''),
  ) => {
    const row = { name: 'Tag', type, pixel_id, code, consent_category: 'marketing' }
    const [{ id }] = await call<[{ id: string }]>('POST', '/rest/v1/tracking_pixels?select=id', row)
    return id
  }
  const setNow = async () => /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1] ?? ''
  const report = (change: Partial<TagReport>) =>
    fetch(`${site.url}/api/tags/report`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    })
  const visit = async (stopped: TagReport['stopped'], set?: string, ids = [container, analytics, ads]) => {
    const answer = await report({
      set: set ?? (await setNow()),
      results: ids.map((id) => ({ id, outcome: 'ran', hit: 'answered' })),
      stopped: stopped ?? [],
    })
    expect(answer.status).toBe(204)
  }
  const overview = () => call<TagOverview>('GET', '/admin/api/tags')
  const healthOf = async (id: string) =>
    (await overview()).pixels.find(({ pixel_id }) => pixel_id === id) as PixelStatus
  const until = (id: string, expected: Partial<PixelStatus>) =>
    vi.waitFor(async () => expect(await healthOf(id)).toMatchObject(expected), WAIT)

  test('attributes them to the container, and to no other tag that loads from the same host', async () => {
    for (let n = 0; n < 5; n++)
      await visit(HOSTS.map((host) => ({ host, directive: 'img-src', source: 'www.googletagmanager.com' })))
    await until(container, { health: 'partial', ran: 0, failed: 5 })
    const { reasons } = await healthOf(container)
    expect(reasons.map(({ host }) => host).sort()).toEqual([...HOSTS].sort())
    for (const id of [analytics, ads]) await until(id, { health: 'working', confirmed: true })
    const { blocked_groups } = await overview()
    expect(blocked_groups.flatMap(({ pixel_ids }) => pixel_ids)).toEqual(HOSTS.map(() => container))
  })

  test('attributes them to the container where the browser names no file, as Chromium does for images', async () => {
    await visit(HOSTS.map((host) => ({ host, directive: 'img-src' })))
    await until(container, { health: 'partial' })
    await until(analytics, { health: 'working', reasons: [] })
  })

  test('attributes them to the tag whose account is in the address of the script', async () => {
    const stopped = { host: 'px.unknown-agency.com', directive: 'connect-src' }
    await visit([{ ...stopped, source: 'www.googletagmanager.com', tag: analytics }])
    await until(analytics, { health: 'partial' })
    await until(container, { health: 'working', reasons: [] })
  })

  test('ignores pixels added later, and hosts that were permitted since', async () => {
    const before = await setNow()
    await visit([{ host: 'www.facebook.com', directive: 'img-src' }])
    await visit([{ host: 'new.facebook.com', directive: 'img-src' }])
    await until(container, { health: 'partial' })
    const meta = await add('meta', '482910377165024')
    // A page that was opened before is still open.
    await visit([{ host: 'new.facebook.com', directive: 'img-src' }], before)
    await visit([], undefined, [container, analytics, ads, meta])
    await until(meta, { health: 'working', confirmed: true, reasons: [] })
    expect((await overview()).blocked_hosts.map(({ host, pixel_ids }) => [host, pixel_ids])).toEqual([
      ['new.facebook.com', [container]],
    ])
  })

  test('resets them for health when the code changes, and keeps them when a host is permitted', async () => {
    const { db } = site.database
    await visit(HOSTS.slice(1).map((host) => ({ host, directive: 'img-src' })))
    await until(container, { health: 'partial' })
    const { blocked_hosts } = await overview()
    const { id } = blocked_hosts.find(({ host }) => host === 'px.unknown-agency.com') ?? { id: '' }
    await call('POST', `/admin/api/blocked-hosts/${id}/allow`)
    const { reasons } = await healthOf(container)
    expect(reasons.map(({ host }) => host)).toEqual(['analytics.tiktok.com'])
    await call('PATCH', `/rest/v1/tracking_pixels?id=eq.${container}`, { code: '<script>var a=1</script>' })
    await until(container, { health: 'waiting', reasons: [] })
    expect(await db.selectFrom('blocked_hosts').selectAll().execute()).toHaveLength(1)
  })
})
