/**
 * Whether the page notices what the embedded database does: `/` in a steady stream, alone and beside each kind of work,
 * in the same run. Run alone: `node bench/page-beside-database.ts` (the tree must be built).
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ADMIN_BOOT_ELEMENT_ID } from '../src/contract/admin-page.ts'
import { TAG_REPORT_PATH } from '../src/contract/tag-report.ts'
import { printTable } from './print-table.ts'
import { residentMegabytes } from './process-usage.ts'

const SECONDS = 6
const VISITS_PER_SECOND = 100
const PORT = 3917
const URL_BASE = `http://localhost:${PORT}`
const CREDENTIALS = { email: 'bench@portico.example', password: 'ponte-lilas-grafite-58' }

const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
const file = join(directory, 'portico.db')
const server = fork('bench/serve-with-sweep.ts', {
  env: {
    ...process.env,
    PORT: String(PORT),
    SITE_URL: URL_BASE,
    DATA_DIR: directory,
    PRINCIPAL_ADMIN_EMAIL: CREDENTIALS.email,
    PRINCIPAL_ADMIN_PASSWORD: CREDENTIALS.password,
  },
})
try {
  await once(server, 'message')
  const page = await (await fetch(`${URL_BASE}/admin`)).text()
  const boot = new RegExp(`id="${ADMIN_BOOT_ELEMENT_ID}"[^>]*>([^<]+)<`).exec(page)?.[1] ?? '{}'
  const apikey = (JSON.parse(boot) as { anonKey: string }).anonKey
  const signIn = {
    url: `${URL_BASE}/auth/v1/token?grant_type=password`,
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify(CREDENTIALS),
  }
  const { access_token: token } = (await (await fetch(signIn.url, signIn)).json()) as { access_token: string }
  addRows()
  const idleMegabytes = residentMegabytes(server.pid ?? 0)
  await visits()
  const idle = await visits()
  const limit = Math.max(10, idle.p99 * 1.5)
  const list = {
    url: `${URL_BASE}/rest/v1/tracking_pixels`,
    headers: { apikey, authorization: `Bearer ${token}` },
  }
  const beacon = {
    url: URL_BASE + TAG_REPORT_PATH,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ results: [] }),
  }
  const subscribe = {
    url: `${URL_BASE}/api/newsletter`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'pessoa@exemplo.com.br' }),
  }
  const cases: [string, () => Promise<ChildProcess[]>][] = [
    ['2,000 beacons a second', async () => [load(beacon, 2000)]],
    ['a lock held elsewhere for 5 s, with subscriptions', async () => [holdLock(), load(subscribe, 20)]],
    ['10,000 pixels listed again and again', async () => [load(list, 0)]],
    ['ten people a second sign in', async () => [load(signIn, 10)]],
    [
      'a million expired limits swept',
      async () => {
        server.send('sweep')
        return []
      },
    ],
  ]
  const rows = [['page beside', 'p50 ms', 'p99 ms', 'max ms', `aim: p99 < ${limit.toFixed(1)}`]]
  const row = (what: string, { p50, p99, max }: Visits) =>
    [what, p50.toFixed(1), p99.toFixed(1), max.toFixed(1), p99 <= limit ? 'yes' : 'no'] as string[]
  rows.push(row('nothing', idle))
  for (const [what, start] of cases) {
    const others = await start()
    rows.push(row(what, await visits()))
    for (const other of others) other.kill()
  }
  printTable(rows)
  console.log(`\nmemory when idle, run from source: ${idleMegabytes.toFixed(0)} MB`)
} finally {
  server.kill()
  await once(server, 'exit')
  rmSync(directory, { recursive: true, force: true })
}

interface Visits {
  p50: number
  p99: number
  max: number
}

/** Counted from when each was due, so that a server that stalls is not excused from what queued up meanwhile. */
async function visits(): Promise<Visits> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const start = performance.now()
  const times: number[] = []
  const pending: Promise<void>[] = []
  for (let sent = 0; sent < SECONDS * VISITS_PER_SECOND; sent++) {
    const due = start + sent * (1000 / VISITS_PER_SECOND)
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1))
    pending.push(
      new Promise((resolve, reject) => {
        const asked = performance.now()
        get(`${URL_BASE}/`, { agent }, (response) => {
          response.resume().on('end', () => {
            times.push(performance.now() - asked)
            resolve()
          })
        }).on('error', reject)
      }),
    )
  }
  await Promise.all(pending)
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** From a process of its own, so that it does not delay the clock that is being watched. `perSecond` 0: one at a time. */
function load(request: { url: string }, perSecond: number): ChildProcess {
  const script = `
    const [{ url, ...options }, perSecond] = JSON.parse(process.argv[1])
    const ask = () => fetch(url, options).then((answer) => answer.arrayBuffer()).catch(() => {})
    if (perSecond === 0) for (;;) await ask()
    const start = performance.now()
    for (let sent = 0; ; ) {
      for (; sent < ((performance.now() - start) / 1000) * perSecond; sent++) ask()
      await new Promise((resolve) => setTimeout(resolve, 1))
    }`
  return spawn(process.execPath, ['--input-type=module', '-e', script, JSON.stringify([request, perSecond])])
}

function holdLock(): ChildProcess {
  const script = `
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
    database.exec('begin immediate')
    setTimeout(() => database.exec('rollback'), 5000)`
  return spawn(process.execPath, ['--input-type=module', '-e', script, file])
}

/** Ten thousand pixels and a million limits that have expired, straight into the file. */
function addRows(): void {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec(`
    begin;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
    insert into rate_limits select 'bench ' || i, 1, '2020-01-01T00:00:00.000Z' from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into tracking_pixels
    select lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8'
      || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), 'Campanha ' || i, 'custom', null,
      '<script>/* ' || hex(zeroblob(300)) || ' */</script>', 0, '[]', 'marketing',
      '2026-11-15T01:02:03.456Z', '2026-11-15T01:02:03.456Z' from n;
    commit`)
  database.close()
}
