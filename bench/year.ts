/**
 * A year of data: what every request of the dashboard takes on both engines, and how long a server needs to start. Not
 * part of `npm run bench` without `--only=year`, because filling takes minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DAY_MS } from '../src/contract/durations.ts'
import { openDatabase } from '../src/server/db/database.ts'
import { dashboardRequests, type RequestedRows } from '../tests/support/dashboard-requests.ts'
import { findPostgres } from '../tests/support/find-postgres.ts'
import { startPostgres } from '../tests/support/start-postgres.ts'
import { type Contender, startPortico } from './data-service-contenders.ts'
import { consentRecords, fillDatabase, keyFileOf, type Place, spreadId, type Words } from './fill-database.ts'

const ROUNDS = 20
const DAYS = 365
const HOURS_KEPT = 90 * 24
const SEEN_HOURS_KEPT = 3 * 24
const AIM = { p95: 100, cold: 300, start: 2_000 }

export interface YearSize {
  pixels: number
  /** Those that run, and have counts. */
  active: number
  records: number
  events: number
  subscriptions: number
}

export const YEAR: YearSize = {
  pixels: 10_000,
  active: 200,
  records: 1_000_000,
  events: 2_000_000,
  subscriptions: 300_000,
}

/** Header first. */
export async function benchYear(size: YearSize): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const postgres = await startPostgres(findPostgres(), ['fsync=on', 'max_wal_size=8GB'])
  const databaseUrl = `postgres://postgres@/postgres?host=${postgres.socketDirectory}`
  try {
    const sqlite = await benchEngine(join(directory, 'sqlite'), null, size)
    const other = await benchEngine(join(directory, 'postgres'), databaseUrl, size)
    const header = (engine: string) => [`${engine} p50 ms`, 'p95', 'cold']
    return [
      ['request', ...header('SQLite'), ...header('PostgreSQL'), 'p95 < 100, cold < 300'],
      ...sqlite.map(([what, first], index) => toRow(what, first, other[index]?.[1])),
    ]
  } finally {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Times {
  /** Of the first call after a start. */
  cold: number
  /** Of the others; none for the start itself. */
  warm: number[]
}

async function benchEngine(
  directory: string,
  databaseUrl: string | null,
  size: YearSize,
): Promise<[string, Times][]> {
  // Where `startPortico` has its data.
  const place: Place = { dataDir: join(directory, 'portico'), databaseUrl }
  const began = performance.now()
  await fillDatabase(place, (words) => yearStatements(size, words))
  console.log(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  const start = (signedIn: boolean) =>
    startPortico(directory, { seed: false, hasFifty: false, signedIn, env: envOf(place) })
  const first = await start(true)
  await untilCompiled(place, size.active)
  await first.stop()
  const launched = performance.now()
  const second = await start(false)
  const started = performance.now() - launched
  await second.stop()
  const portico = await start(true)
  try {
    const times = new Map<string, Times>()
    for (const [what, path] of dashboardRequests(await readExample(place)))
      times.set(what, { cold: await ask(portico, path), warm: [] })
    for (let round = 0; round < ROUNDS; round++)
      for (const [what, path] of dashboardRequests(await readExample(place)))
        times.get(what)?.warm.push(await ask(portico, path))
    return [['start of the server (target 2,000)', { cold: started, warm: [] }], ...times]
  } finally {
    await portico.stop()
  }
}

function envOf({ dataDir, databaseUrl }: Place): Record<string, string> {
  return databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, SECRET_KEY_FILE: keyFileOf(dataDir) }
}

async function ask({ request }: Contender, path: string): Promise<number> {
  const began = performance.now()
  const answer = await fetch(new URL(path, request.url), { headers: request.headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`)
  return performance.now() - began
}

function toRow(what: string, sqlite: Times, postgres: Times | undefined): string[] {
  const engines = [sqlite, postgres ?? { cold: Number.NaN, warm: [] }]
  const isMet = ({ cold, warm }: Times) =>
    warm.length === 0 ? cold <= AIM.start : cold <= AIM.cold && quantile(warm, 0.95) <= AIM.p95
  const cells = ({ cold, warm }: Times) =>
    [quantile(warm, 0.5), quantile(warm, 0.95), cold].map((ms) => (Number.isNaN(ms) ? '' : ms.toFixed(0)))
  return [what, ...engines.flatMap(cells), engines.every(isMet) ? 'yes' : 'no']
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

async function readExample(place: Place): Promise<RequestedRows> {
  const { db, close } = openDatabase(place)
  try {
    const { id } = await db
      .selectFrom('tracking_pixels')
      .select('id')
      .where('is_active', '=', true)
      .orderBy('id')
      .executeTakeFirstOrThrow()
    return { pixel: id, before: new Date(Date.now() - 100 * DAY_MS).toISOString(), event: id }
  } finally {
    await close()
  }
}

/** The first server on the data compiles the tags of all pixels. */
async function untilCompiled(place: Place, active: number): Promise<void> {
  const { db, close } = openDatabase(place)
  const count = () =>
    db
      .selectFrom('compiled_tags')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
  while (Number((await count()).n) < active) await wait(200)
  await close()
}

/** Statements that make the rows of a year, ending now. */
function yearStatements(size: YearSize, words: Words): string[] {
  const { numbers, time, json, boolean } = words
  const now = Math.floor(Date.now() / 1000)
  const from = now - DAYS * 86_400
  const spreadOver = (count: number) => time(`${from} + n * ${Math.floor((DAYS * 86_400) / count)}`)
  const pixelId = (number: string) => spreadId(words, number, '00000000000a')
  // A row of the trail holds the pixel before and after its change.
  const pixelText = (isActive: string) =>
    json(`'{"name":"Campanha","type":"custom","is_active":${isActive},"code":"${'x'.repeat(200)}"}'`)
  // Half of the changes are of the pixels that run.
  const changed = `case when n % 2 = 0 then (n / 2) % ${size.active} else n % ${size.pixels} end`
  const counted = (rows: string, columns: string) =>
    `${rows} insert into counts (subject, series, resolution, at, key, shard, count) ${columns}`
  const keysOf = {
    'tag.result': `(select 'ran' as key, 40 as count union all select 'blocked', 5 union all select 'failed', 1 union all select 'not_consented', 12) as k`,
    'tag.seen': `(select 'r visit ran' as key, 40 as count union all select 'r visit blocked', 5 union all select 'r hit answered', 30 union all select 'r host:https://a.example answered', 30) as k`,
  }
  const ofPixels = (series: keyof typeof keysOf, resolution: string, at: string, rows: number) =>
    counted(
      numbers(rows * size.active),
      `select ${pixelId(`n % ${size.active}`)}, '${series}', '${resolution}', ${at}, k.key, 0, k.count from n, ${keysOf[series]}`,
    )
  // Midnight in São Paulo.
  const midnight = (ago: string) =>
    time(`${Math.floor((now - 10_800) / 86_400) * 86_400 + 10_800} - (${ago}) * 86400`)
  const hour = (ago: string) => time(`${Math.floor(now / 3600) * 3600} - (${ago}) * 3600`)
  const source = `'visits ["' || case when n % 3 = 0 then 'paid_search' else 'organic_search' end || '","google","cpc","campanha ' || (n % 40) || '","","' || case when n % 2 = 0 then 'mobile' else 'desktop' end || '"]'`
  return [
    `${numbers(size.pixels)} insert into tracking_pixels
      (id, name, type, pixel_id, code, is_active, allowed_hosts, consent_category, created_at, updated_at)
      select ${pixelId('n')}, 'Campanha ' || n, 'custom', null, '<script>/* ${'x'.repeat(600)} */ window.n' || n || ' = 1</script>',
        ${boolean(`n < ${size.active}`)}, ${json(`'[]'`)}, 'marketing', ${spreadOver(size.pixels)}, ${spreadOver(size.pixels)} from n`,
    ...consentRecords(size.records, words, { from, seconds: Math.floor((DAYS * 86_400) / size.records) }),
    `${numbers(DAYS * 3)} insert into consent_counts (day, text_version, action, choice, count)
      select substr(cast(${midnight('n / 3')} as text), 1, 10), 1, case n % 3 when 0 then 'accept_all' when 1 then 'reject' else 'save' end, 'marketing', 900 from n`,
    `${numbers(size.subscriptions)} insert into newsletter_subscriptions
      (id, email, status, delivery_key, attempts, next_attempt_at, created_at, delivered_at)
      select ${spreadId(words, 'n', '00000000000b')}, 'pessoa' || n || '@exemplo.com.br',
        case when n % 1000 = 0 then 'failed' else 'delivered' end, 'key ' || n, 1, ${spreadOver(size.subscriptions)},
        ${spreadOver(size.subscriptions)}, ${spreadOver(size.subscriptions)} from n`,
    `${numbers(size.events)} insert into audit_events (id, actor_id, actor, action, subject, before, after, created_at)
      select ${spreadId(words, 'n', '00000000000c')}, null, 'pessoa' || (n % 10) || '@exemplo.com.br',
        case when n % 10 < 7 then 'tracking_pixels.update' else 'auth.sign_in_failed' end,
        case when n % 10 < 7 then cast(${pixelId(changed)} as text) else null end,
        case when n % 10 < 7 then ${pixelText('false')} end,
        case when n % 100 = 0 then ${pixelText('true')} when n % 10 < 7 then ${pixelText('false')} end,
        ${spreadOver(size.events)} from n`,
    ofPixels('tag.result', 'hour', hour(`n / ${size.active}`), HOURS_KEPT),
    ofPixels('tag.result', 'day', midnight(`n / ${size.active}`), DAYS),
    `${numbers(size.active)} insert into tag_last_seen (pixel_id, shard, last_ran_at)
      select ${pixelId('n')}, 0, ${time(`${now}`)} from n`,
    ofPixels('tag.seen', 'hour', hour(`n / ${size.active}`), SEEN_HOURS_KEPT),
    counted(
      numbers(DAYS * 240),
      `select '', 'visit.source', 'day', ${midnight('n / 240')}, ${source}, n % 240, 7 from n`,
    ),
    ...['views', 'visits', 'visitors', 'click:register'].map((key) =>
      counted(numbers(DAYS), `select '', 'visit', 'day', ${midnight('n')}, '${key}', 0, 4000 from n`),
    ),
  ]
}
