import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TagOverview } from '#contract/tag-status.ts'
import { sumCounts } from '#server/stats/counts.ts'
import { ENGINES } from '../support/engines.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { Mailbox } from '../support/mailbox.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { untilTags } from '../support/until-tags.ts'
import { readKeys } from './auth-keys.ts'

describe.each(ENGINES)('a tag that fails in visits from many places, on %s', (engine) => {
  let site: TestApp
  let mailbox: Mailbox
  let pixel: string
  let set: string
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    site = await startTestApp({ engine, listen: true, env: { TRUST_PROXY: 'true', SMTP_URL: mailbox.url } })
    pixel = await insertPixel(site.database.db, { type: 'meta', name: 'Loja', auto_disable: true })
    await untilTags(site.url)
    set = /data-tags="([^"]+)"/.exec(await page())?.[1] ?? ''
  })
  afterAll(async () => {
    await site.close()
    await mailbox.close()
  })

  const page = async () => (await fetch(site.url)).text()
  const report = (address: string, result: object = { outcome: 'failed', error: 'x is not defined' }) =>
    fetch(`${site.url}/api/tags/report`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ set, results: [{ id: pixel, ...result }] }),
    })
  const counted = async (what: 'visits' | 'measured' = 'visits') => {
    const rows = await sumCounts(site.database.db, { series: 'tag.breaker', resolution: 'minute', from: 0 })
    return rows.filter(({ key }) => key.endsWith(` ${what}`)).reduce((sum, { count }) => sum + count, 0)
  }

  test('one address, /64 or /48 cannot pause it alone', async () => {
    for (let n = 0; n < 55; n++) expect((await report('192.0.2.1')).status).toBe(204)
    for (let n = 0; n < 30; n++) await report(`2001:db8:0:${n}::1`)
    await vi.waitFor(async () => expect(await counted()).toBe(3 + 15), 30_000)
    expect(await page()).toContain(' data-tags="')
  })

  test('nor can their reported costs', async () => {
    const slow = { outcome: 'ran', ms: 60_000, requests: 1 }
    for (let n = 0; n < 55; n++) await report('192.0.2.2', slow)
    for (let n = 0; n < 30; n++) await report(`2001:db8:1:${n}::1`, slow)
    await report('192.0.2.3', { outcome: 'ran' })
    await vi.waitFor(async () => expect(await counted('measured')).toBe(3 + 15), 30_000)
    expect(await page()).toContain(' data-tags="')
  })

  test('seventeen can: it leaves the page and its policy, is emailed, and returns with one call', async () => {
    for (let n = 0; n < 17; n++) for (let visit = 0; visit < 3; visit++) await report(`198.51.100.${n}`)
    await vi.waitFor(async () => expect(await page()).not.toContain(' data-tags="'), 30_000)
    const policy = (await fetch(site.url)).headers.get('content-security-policy')
    expect(policy).not.toContain('connect.facebook.net')
    await vi.waitFor(() => expect(mailbox.received).toHaveLength(1), 30_000)
    expect(mailbox.received[0]?.to).toEqual([PRINCIPAL.email])
    expect(mailbox.received[0]?.subject).toBe('O pixel "Loja" foi pausado automaticamente')
    const { service } = await readKeys(site)
    const answer = await fetch(`${site.url}/admin/api/pixels/${pixel}/rearm`, {
      method: 'POST',
      headers: { apikey: service, authorization: `Bearer ${service}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const { pixels } = (await answer.json()) as TagOverview
    expect(pixels.find(({ pixel_id }) => pixel_id === pixel)?.health).not.toBe('paused')
    expect(await page()).toContain(' data-tags="')
  })
})
