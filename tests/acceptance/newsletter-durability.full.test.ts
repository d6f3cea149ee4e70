import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '#server/db/database.ts'
import { type EngineName, makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, spawnServer, untilReady } from '../support/spawn-server.ts'
import { accept, startWebhook, type TestWebhook } from '../support/webhook.ts'

const PEOPLE = 1_000
const KILL_AT = [300, 650]
const VISITORS_AT_ONCE = 20

interface Site {
  url: string
  server: SpawnedServer
  start(): Promise<void>
}

async function makeSite(storage: Storage, webhookUrl: string): Promise<Site> {
  const port = await freePort()
  const env = {
    PORT: String(port),
    TRUST_PROXY: 'loopback',
    NEWSLETTER_WEBHOOK_URL: webhookUrl,
    ...storage.env,
  }
  const url = `http://127.0.0.1:${port}`
  const site: Site = {
    url,
    server: spawnServer(env),
    start: async () => {
      site.server = spawnServer(env)
      await untilReady(site.server, url)
    },
  }
  await untilReady(site.server, url)
  onTestFinished(() => void site.server.child.kill('SIGKILL'))
  return site
}

/** True if the site confirmed it; false if the connection broke, as with a killed server. */
async function subscribe(site: Site, person: number): Promise<boolean> {
  try {
    const response = await fetch(`${site.url}/api/newsletter`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.0.${person >> 8}.${person & 255}`,
      },
      body: JSON.stringify({ email: `pessoa${person}@exemplo.com.br` }),
    })
    return response.status === 200
  } catch {
    return false
  }
}

async function kill(server: SpawnedServer): Promise<void> {
  server.child.kill('SIGKILL')
  expect(await server.ended).toBe('SIGKILL')
}

async function deliveredCount(storage: Storage): Promise<number> {
  const { db, close } = openDatabase(storage)
  const rows = await db
    .selectFrom('newsletter_subscriptions')
    .select('id')
    .where('status', '=', 'delivered')
    .execute()
  await close()
  return rows.length
}

function keysByPerson(webhook: TestWebhook): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>()
  for (const { email, key } of webhook.calls) keys.set(email, (keys.get(email) ?? new Set()).add(key))
  return keys
}

test(`${PEOPLE} people subscribe while the webhook is down and the server is killed twice: all are delivered`, async () => {
  const storage = await makeStorage('sqlite')
  onTestFinished(() => storage.remove())
  const webhookPort = await freePort()
  const site = await makeSite(storage, `http://127.0.0.1:${webhookPort}/hook`)

  const accepted = new Set<number>()
  const waiting = Array.from({ length: PEOPLE }, (_, person) => person)
  let kills = 0
  for (const enough of [...KILL_AT, PEOPLE]) {
    const visitors = Array.from({ length: VISITORS_AT_ONCE }, async () => {
      while (accepted.size < enough) {
        const person = waiting.shift()
        if (person === undefined) return
        if (await subscribe(site, person)) accepted.add(person)
        else waiting.push(person)
      }
    })
    if (enough === PEOPLE) {
      await Promise.all(visitors)
    } else {
      // The others are in the middle of their posts when it dies.
      await Promise.race(visitors)
      await kill(site.server)
      kills++
      await Promise.all(visitors)
      await site.start()
    }
  }
  expect([accepted.size, kills]).toEqual([PEOPLE, KILL_AT.length])

  const webhook = await startWebhook(webhookPort)
  onTestFinished(() => webhook.close())
  await expect.poll(() => keysByPerson(webhook).size, { timeout: 90_000, interval: 50 }).toBe(PEOPLE)
  await expect.poll(() => deliveredCount(storage), { timeout: 30_000, interval: 50 }).toBe(PEOPLE)
  expect([...keysByPerson(webhook).values()].filter((keys) => keys.size !== 1)).toEqual([])
  expect(webhook.calls).toHaveLength(PEOPLE)
  site.server.child.kill('SIGTERM')
  expect(await site.server.ended).toBe(0)
  expect(site.server.output()).not.toContain('@exemplo')
}, 150_000)

test.each<EngineName>(['sqlite', 'postgres'])(
  "killed on %s during the webhook's response: delivered again once, under the same key",
  async (engine) => {
    const storage = await makeStorage(engine)
    onTestFinished(() => storage.remove())
    const webhook = await startWebhook()
    onTestFinished(() => webhook.close())
    webhook.behave(() => {})
    const site = await makeSite(storage, webhook.url)
    expect(await subscribe(site, 1)).toBe(true)
    await webhook.arrived(1)
    await kill(site.server)
    webhook.behave(accept)
    if (engine === 'postgres') await endLeases(storage)
    await site.start()
    await expect.poll(() => deliveredCount(storage), { timeout: 30_000, interval: 100 }).toBe(1)
    expect(webhook.calls).toHaveLength(2)
    expect([...keysByPerson(webhook).values()].map((keys) => keys.size)).toEqual([1])
  },
)

/** What half a minute does: with several processes, only time shows that the holder of a lease is dead. */
async function endLeases(storage: Storage): Promise<void> {
  const { db, close } = openDatabase(storage)
  const past = new Date(Date.now() - 1_000).toISOString()
  const ended = await db
    .updateTable('deliveries')
    .set({ leased_until: past, next_attempt_at: past })
    .where('leased_until', 'is not', null)
    .executeTakeFirstOrThrow()
  expect(Number(ended.numUpdatedRows)).toBe(1)
  await close()
}
