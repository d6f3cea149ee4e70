import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertPixel } from '../support/insert-pixel.ts'
import { PRINCIPAL, startTestApp, type TestApp } from '../support/test-app.ts'
import { type AuthCall, call } from './auth-http.ts'
import { readKeys } from './auth-keys.ts'

let site: TestApp
let change: AuthCall
beforeAll(async () => {
  site = await startTestApp()
  const { anon } = await readKeys(site)
  const id = await insertPixel(site.database.db, { type: 'meta', is_active: false })
  const path = '/auth/v1/token?grant_type=password'
  const session = await call(site, { method: 'POST', path, apikey: anon, body: PRINCIPAL })
  change = {
    method: 'PATCH',
    path: `/rest/v1/tracking_pixels?id=eq.${id}`,
    apikey: anon,
    bearer: session.body.access_token,
    headers: { prefer: 'return=minimal' },
    body: { is_active: false },
  }
})
afterAll(() => site.close())

/**
 * Not of the change: tags served to visitors are read again after it, and limits are written every second. The
 * machine's speed decides when.
 */
const BESIDE_IT = /^(?:select (?:"pixel"|"tags_version"|"version", "pixel_ids")|insert into "rate_windows")/

/** Each message is a wait for the other thread and a wake-up of this one. */
test('a change of a pixel is at most three messages to the SQLite thread', async () => {
  await call(site, change)
  const posts = vi.spyOn(Worker.prototype, 'postMessage')
  const answer = await call(site, change)
  const sent = posts.mock.calls.filter(([batch]) => Array.isArray(batch))
  posts.mockRestore()
  expect(answer.status).toBe(204)
  const messages = sent
    .map(([batch]) =>
      (batch as { sql: string }[]).map(({ sql }) => sql).filter((sql) => !BESIDE_IT.test(sql)),
    )
    .filter((statements) => statements.length > 0)
  expect(messages.flat().filter((sql) => sql.startsWith('update "tracking_pixels"'))).toHaveLength(1)
  expect(messages.length, JSON.stringify(messages, null, 1)).toBeLessThanOrEqual(3)
})
