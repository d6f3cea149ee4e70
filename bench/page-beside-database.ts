/** Whether SQLite slows the page down: a steady stream of `/`, alone and beside each kind of work. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { ADMIN_BOOT_ELEMENT_ID } from '../src/contract/admin-page.ts'
import { TAG_REPORT_PATH } from '../src/contract/tag-report.ts'
import { freePort } from '../tests/support/free-port.ts'
import { type CountingWebhook, startCountingWebhook } from '../tests/support/start-counting-webhook.ts'
import { measureVisits, type Visits } from './measure-visits.ts'
import { pinProcess } from './processor.ts'
import { startLoad } from './start-load.ts'

/** Until the sending process has started and both sides are compiled. */
const WARM_UP_MS = 5_000
const LOCK_MS = WARM_UP_MS + 5_000
const LEAST_LIMIT_MS = 10
/** One account may sign in 120 times in five minutes: ten per second need more than one. */
const COLLEAGUE = { email: 'colega@portico.example', password: 'varanda-azulejo-27' }
const CREDENTIALS = { email: 'bench@portico.example', password: 'ponte-lilas-grafite-58' }

/** Background work; `end` returns its statuses as text. */
type Work = () => { end(): Promise<string> }

interface Scene {
  site: string
  file: string
  server: ChildProcess
  webhook: CountingWebhook
}

/** Work, its own count, visits, and whether the target is met. */
export async function benchPageBesideDatabase({ seconds }: { seconds: number }): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const port = await freePort()
  const site = `http://localhost:${port}`
  const webhook = await startCountingWebhook()
  const server = fork('bench/serve-with-sweep.ts', {
    env: {
      ...process.env,
      PORT: String(port),
      SITE_URL: site,
      DATA_DIR: directory,
      TRUST_PROXY: 'true',
      NEWSLETTER_WEBHOOK_URL: webhook.url,
      PRINCIPAL_ADMIN_EMAIL: CREDENTIALS.email,
      PRINCIPAL_ADMIN_PASSWORD: CREDENTIALS.password,
    },
  })
  try {
    await once(server, 'message')
    // Otherwise the client would use the server's processor time.
    pinProcess('server', server.pid ?? 0)
    pinProcess('client', process.pid)
    const file = join(directory, 'portico.db')
    const works = await makeWorks({ site, file, server, webhook })
    await measureVisits(`${site}/`, seconds)
    const idle = await measureVisits(`${site}/`, seconds)
    const limit = Math.max(LEAST_LIMIT_MS, idle.p99 * 1.5)
    const rows = [
      ['page beside', 'answered', 'p50 ms', 'p99 ms', 'max ms', `p99 at most ${limit.toFixed(1)}`],
      toRow('nothing', '', idle, limit),
    ]
    for (const [what, start] of works) {
      const work = start()
      await setTimeout(WARM_UP_MS)
      const visits = await measureVisits(`${site}/`, seconds)
      rows.push(toRow(what, await work.end(), visits, limit))
    }
    return rows
  } finally {
    server.kill()
    await once(server, 'exit')
    webhook.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

function toRow(what: string, answered: string, { p50, p99, max }: Visits, limit: number): string[] {
  return [what, answered, p50.toFixed(1), p99.toFixed(1), max.toFixed(1), p99 <= limit ? 'yes' : 'no']
}

async function makeWorks({ site, file, server, webhook }: Scene): Promise<[string, Work][]> {
  const page = await (await fetch(`${site}/admin`)).text()
  const boot = new RegExp(`id="${ADMIN_BOOT_ELEMENT_ID}"[^>]*>([^<]+)<`).exec(page)?.[1] ?? '{}'
  const apikey = (JSON.parse(boot) as { anonKey: string }).anonKey
  const json = { apikey, 'content-type': 'application/json' }
  const signIn = {
    url: `${site}/auth/v1/token?grant_type=password`,
    method: 'POST',
    headers: json,
    body: JSON.stringify(CREDENTIALS),
  }
  const { access_token: token } = (await (await fetch(signIn.url, signIn)).json()) as { access_token: string }
  const pixels = {
    url: `${site}/rest/v1/tracking_pixels`,
    headers: { ...json, authorization: `Bearer ${token}` },
  }
  await fetch(`${site}/rest/v1/admin_users`, {
    method: 'POST',
    headers: pixels.headers,
    body: JSON.stringify({ ...COLLEAGUE, role: 'admin' }),
  })
  const ids = await addActivePixels(pixels)
  addRows(file)
  const report = {
    url: site + TAG_REPORT_PATH,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ results: ids.map((id) => ({ id, outcome: 'ran' })) }),
  }
  const subscription = {
    url: `${site}/api/newsletter`,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email: 'pessoa@exemplo.com.br' }),
  }
  return [
    ['2,000 reports a second', () => startLoad({ ...report, perSecond: 2_000 })],
    [
      'a lock held elsewhere for 5 s, 20 subscriptions a second',
      () => {
        holdLock(file)
        return startLoad({ ...subscription, perSecond: 20 })
      },
    ],
    ['10,000 pixels listed again and again', () => startLoad({ ...pixels, method: 'GET', perSecond: null })],
    [
      '10,000 subscriptions delivered to a webhook',
      () => {
        addSubscriptions(file)
        return { end: async () => JSON.stringify(await webhook.count()) }
      },
    ],
    [
      'ten people a second sign in',
      () => {
        const bodies = [CREDENTIALS, COLLEAGUE].map((person) => JSON.stringify(person))
        return startLoad({ ...signIn, bodies, perSecond: 10 })
      },
    ],
    [
      'a million expired limits swept',
      () => {
        const swept = once(server, 'message')
        void setTimeout(WARM_UP_MS).then(() => server.send('sweep'))
        return { end: async () => String((await swept)[0]) }
      },
    ],
  ]
}

function holdLock(file: string): void {
  const script = `
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
    database.exec('begin immediate')
    setTimeout(() => database.exec('rollback'), ${LOCK_MS})`
  spawn(process.execPath, ['--input-type=module', '-e', script, file], { stdio: 'ignore' })
}

/** Three active pixels, so that their reports are counted. */
async function addActivePixels({ url, headers }: { url: string; headers: Record<string, string> }) {
  const pixels = [1, 2, 3].map((number) => ({
    name: `Ativo ${number}`,
    type: 'custom',
    code: `<script>window.bench${number} = true</script>`,
    is_active: true,
  }))
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, prefer: 'return=representation' },
    body: JSON.stringify(pixels),
  })
  if (!answer.ok) throw new Error(`adding pixels: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id)
}

/** Ten thousand pixels and a million expired limits, written to the file directly. */
function addRows(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec(`
    begin;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
    insert into rate_limits select 'bench ' || i, 1, '2020-01-01T00:00:00.000Z' from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into tracking_pixels 
      (id, name, type, pixel_id, code, is_active, allowed_hosts, consent_category, created_at, updated_at)
    select lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8'
      || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), 'Campanha ' || i, 'custom', null,
      '<script>/* ' || hex(zeroblob(300)) || ' */</script>', 0, '[]', 'marketing',
      '2026-11-15T01:02:03.456Z', '2026-11-15T01:02:03.456Z' from n;
    commit`)
  database.close()
}

/** Ten thousand due subscriptions. */
function addSubscriptions(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into newsletter_subscriptions (id, email, status, delivery_key, next_attempt_at, created_at)
    select 'bench ' || i, 'pessoa' || i || '@exemplo.com.br', 'pending', 'bench ' || i, '2026-11-15T01:02:03.456Z',
      '2026-11-15T01:02:03.456Z' from n;
    insert into deliveries (id, kind, subscription_id, payload, next_attempt_at, created_at)
    select id, 'newsletter', id, '{}', next_attempt_at, created_at from newsletter_subscriptions`)
  database.close()
}
