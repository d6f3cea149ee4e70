/**
 * `npm run scale`: 1, 4 and 16 processes on one PostgreSQL, near and 40 ms away, with few and with many pixels. Counts
 * what each kind of request costs, and fails when a cost grows with the processes or the pixels where it should not.
 * `-- --write` writes docs/reports/scale.md.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  CONSENT_PATH,
  CONSENT_TEXT_VERSION,
  formatConsent,
  OPTIONAL_CATEGORIES,
} from '#contract/consent-choice.ts'
import { TAG_SET_ATTRIBUTE } from '#contract/tag-manifest.ts'
import { EVENTS_PATH, TAG_REPORT_PATH } from '#contract/tag-report.ts'
import { formatTable } from '../../bench/print-table.ts'
import { buildAll } from '../../scripts/build-all.ts'
import { isBuildFresh } from '../../scripts/build-stamp.ts'
import { Place } from '../chaos/scenario.ts'
import { type Administrator, signIn } from '../chaos/sign-in.ts'
import { startSlowLink } from '../chaos/slow-link.ts'
import { type Replica, startReplica } from '../chaos/start-replica.ts'
import { findPostgres } from '../support/find-postgres.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { startVendorApis, type VendorApis } from '../support/vendor-apis/start-vendor-apis.ts'
import {
  COUNTING_SETTINGS,
  DatabaseWork,
  METRICS,
  type Metric,
  OBSERVED,
  type Work,
} from './database-work.ts'

const DATABASE = 'site'
const POOL_SIZE = 10
const FEW_PIXELS = 10
const MANY_PIXELS = 500
const AWAY_MS = 40
/** Requests of one kind to one process, and how far apart they are. */
const REQUESTS = 25
const APART_MS = 100
/** Counts are written once a second, and processes look for changes twice a second. */
const SETTLE_MS = 2_500
const IDLE_MS = 5_000
const COMPRESSED_MS = 20_000
/** A process that has just started still composes, compresses and looks at everything once. */
const STARTED_MS = 10_000
/** Checkpoints begin within five seconds after the minute. */
const CHECKPOINT_MS = 8_000
/** WAL bytes of a second in which nothing is asked. */
const QUIET_WAL = 2_000
/** Choices of one kind take less than this. */
const CHOICES_MS = 15_000
/** A queue of events, delivered by one process and by several. The vendor is slow: they wait and do not compute. */
const DELIVERED = 3_000
const DELIVERING = 8
const DELIVERY_AWAY_MS = 20
const VENDOR_MS = 1_000
/** A receiver that did not answer in time is asked again after 5 and 30 seconds. */
const DELIVERED_WITHIN_MS = 120_000
const LIMIT_MS = 15 * 60_000

interface Stage {
  processes: number
  awayMs: number
  pixels: number
}

const STAGES: readonly Stage[] = [
  ...[1, 4, 16].flatMap((processes) =>
    [0, AWAY_MS].map((awayMs) => ({ processes, awayMs, pixels: FEW_PIXELS })),
  ),
  { processes: 4, awayMs: 0, pixels: MANY_PIXELS },
]

/** By what the work of a kind is divided: for work that every process must do, also by the processes. */
type Per = 'once' | 'process'

interface Kind {
  name: string
  /** What may grow in total with the processes is counted per process. */
  per?: Partial<Record<Metric, Per>>
  /** Costs that grow with the pixels by design, with the reason. */
  growsWithPixels?: readonly Metric[]
  /** Does everything once and returns how often. */
  run: (site: Site) => Promise<number>
  isIdle?: true
  /** A larger difference that has another reason. */
  slack?: Partial<Work>
  /** Takes a minute. */
  isCheckpoint?: true
  /** A checkpoint must not begin meanwhile: it works for each choice, and would count as the cost of doing nothing. */
  avoidsCheckpoints?: true
}

const PER_PROCESS = {
  statements: 'process',
  read: 'process',
  buffers: 'process',
  processor: 'process',
} as const

const KINDS: readonly Kind[] = [
  {
    name: 'nothing (each second)',
    per: { ...PER_PROCESS, wal: 'process', locked: 'process' },
    isIdle: true,
    avoidsCheckpoints: true,
    run: async () => {
      await sleep(IDLE_MS)
      return IDLE_MS / 1000
    },
  },
  {
    name: 'view of the page',
    run: (site) => everywhere(site, ({ url }) => expect(200, () => fetch(`${url}/`))),
  },
  {
    name: 'file that does not exist',
    run: (site) =>
      everywhere(site, ({ url }) =>
        expect(404, () => fetch(`${url}/tags/${randomBytes(12).toString('base64url')}.js`)),
      ),
  },
  {
    name: 'report of a visit',
    run: (site) =>
      everywhere(site, ({ url }) =>
        post(`${url}${TAG_REPORT_PATH}`, {
          set: site.tagSet,
          results: [{ id: site.pixelOnPage, outcome: 'ran', ms: 3, requests: 1 }],
        }),
      ),
  },
  {
    name: 'conversion, stored and delivered',
    // A process that has more of them at once settles more with one transaction.
    slack: { statements: 12, buffers: 200 },
    run: async (site) => {
      const times = await everywhere(site, ({ url }) =>
        post(
          `${url}${EVENTS_PATH}`,
          { id: randomUUID(), name: 'lead', path: '/' },
          { cookie: site.acceptedCookie },
        ),
      )
      await untilDelivered(site.database)
      return times
    },
  },
  {
    name: 'subscription',
    run: (site) =>
      everywhere(site, ({ url }) =>
        expect(200, () => send(`${url}/api/newsletter`, { email: `${randomUUID()}@exemplo.com.br` })),
      ),
  },
  {
    // Before the checkpoint, so that sealing these choices counts for no other kind.
    name: 'choice: everything refused',
    avoidsCheckpoints: true,
    run: (site) =>
      everywhere(site, ({ url }) =>
        post(`${url}${CONSENT_PATH}`, {
          record_id: randomUUID(),
          id: randomUUID(),
          action: 'reject',
          categories: [],
          text_version: CONSENT_TEXT_VERSION,
          tag_set_version: site.tagSet,
        }),
      ),
  },
  {
    name: 'choice in the checkpoint of a minute',
    per: PER_PROCESS,
    isCheckpoint: true,
    avoidsCheckpoints: true,
    run: async (site) => {
      await post(`${site.replicas[0]?.url}${CONSENT_PATH}`, {
        id: randomUUID(),
        action: 'reject',
        categories: [],
        text_version: CONSENT_TEXT_VERSION,
        tag_set_version: site.tagSet,
      })
      const { rows } = await site.database.query(
        `select count(*)::int as ${OBSERVED} from consent_records where leaf_position is null`,
      )
      await sleep(60_000 - (Date.now() % 60_000) + CHECKPOINT_MS)
      return rows[0][OBSERVED]
    },
  },
  {
    // Last: processes compress the new files for some time after it.
    name: 'change of a pixel',
    per: PER_PROCESS,
    // The recipients of each set are stored whole, for the proof; composing a set looks at each pixel. A pixel that is
    // switched on must fit into the policy of all, and who missed a record compares with all open periods.
    growsWithPixels: ['wal', 'read', 'buffers', 'processor'],
    // One process shows several changes at once. Several show, and record, each of them.
    slack: { wal: 4_000, locked: 5 },
    run: changePixels,
  },
]

/** A cost may differ by this much for other reasons, and by half. */
const SLACK: Work = { statements: 0.6, wal: 400, locked: 1, read: 5, buffers: 60, processor: 6 }
const FACTOR = 1.5

interface Site {
  database: pg.Client
  replicas: Replica[]
  administrator: Administrator
  tagSet: string
  pixelOnPage: string
  acceptedCookie: string
  /** Pixels that `changePixels` switches. */
  changing: readonly string[]
}

interface Measured {
  stage: Stage
  kind: Kind
  work: Work
  connections: number
  waiting: number
}

/** `--only=1/0/10,4/40/10,checkpoint,deliveries`: stages by processes, milliseconds and pixels, and the slow parts. */
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)
if (!isBuildFresh()) await buildAll()
const begunAt = Date.now()
const place = new Place()
setTimeout(async () => {
  console.error('longer than fifteen minutes')
  await place.leave()
  process.exit(1)
}, LIMIT_MS).unref()
try {
  const { measured, delivered } = await measureAll()
  const faults = [...judge(measured), ...judgeDeliveries(delivered)]
  const report = describe(measured, delivered, faults)
  console.log(report)
  if (process.argv.includes('--write')) writeFileSync('docs/reports/scale.md', report)
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  await place.leave()
}
process.exit()

async function measureAll(): Promise<{ measured: Measured[]; delivered: Delivered[] }> {
  const postgres = await startPostgres(findPostgres(), COUNTING_SETTINGS)
  place.atEnd(() => postgres.stop())
  const work = new DatabaseWork(postgres, DATABASE)
  await work.open()
  place.atEnd(() => work.close())
  const client = new pg.Client({ host: postgres.socketDirectory, user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(`create database ${DATABASE}`)
  await client.end()
  const link = await startSlowLink(place, postgres.socketDirectory)
  const apis = await startVendorApis()
  apis.keepsConnections = true
  place.atEnd(() => apis.close())
  const certificate = join(place.folder, 'vendors.pem')
  writeFileSync(certificate, apis.certificate)
  const env = {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${link.port}/${DATABASE}`,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    EVENTS_PER_HOUR: '1000000',
    LOG_LEVEL: 'silent',
    HTTPS_PROXY: apis.proxyUrl,
    NODE_EXTRA_CA_CERTS: certificate,
  }
  const first = await startReplica(place, env)
  const administrator = await signIn(first.url)
  const database = new pg.Client({ host: postgres.socketDirectory, user: 'postgres', database: DATABASE })
  await database.connect()
  place.atEnd(() => database.end())
  const site: Site = {
    database,
    replicas: [first],
    administrator,
    tagSet: '',
    pixelOnPage: '',
    acceptedCookie: '',
    changing: [],
  }
  site.acceptedCookie = await acceptEverything(first.url)
  await addPixels(site, [
    {
      name: 'Webhook',
      type: 'custom',
      consent_category: 'marketing',
      delivery: 'server',
      webhook_url: 'https://hooks.exemplo.com.br/c',
      access_token: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    },
  ])
  const own = await addPixels(site, customPixels(0, FEW_PIXELS - 1))
  site.pixelOnPage = own[0] ?? ''
  site.changing = own.slice(1)
  const measured: Measured[] = []
  for (const stage of STAGES) {
    if (!isWanted(Object.values(stage).join('/'))) continue
    link.delayBy(0, 0)
    await haveProcesses(site, stage.processes, env)
    if (stage.pixels > FEW_PIXELS) {
      await addPixels(site, customPixels(FEW_PIXELS, stage.pixels))
      // Every process compresses the new files in the background, and records what it serves.
      await sleep(COMPRESSED_MS)
      await untilNothingIsWritten(database)
    }
    work.pids = site.replicas.map(({ server }) => server.child.pid ?? 0)
    link.delayBy(stage.awayMs, stage.awayMs)
    await sleep(SETTLE_MS)
    measured.push(...(await measureStage(stage, site, work)))
  }
  const delivered: Delivered[] = []
  if (isWanted('deliveries')) {
    link.delayBy(0, 0)
    await haveProcesses(site, 1, env)
    const [pixelId = ''] = await addPixels(site, [
      {
        name: 'Meta',
        type: 'meta',
        pixel_id: '482910377165024',
        access_token: 'good-token',
        delivery: 'server',
      },
    ])
    for (const processes of [1, DELIVERING]) {
      link.delayBy(0, 0)
      await haveProcesses(site, processes, env)
      work.pids = site.replicas.map(({ server }) => server.child.pid ?? 0)
      await sleep(SETTLE_MS)
      link.delayBy(DELIVERY_AWAY_MS, DELIVERY_AWAY_MS)
      delivered.push(await deliver({ site, work, apis, pixelId }))
    }
  }
  return { measured, delivered }
}

/** Waits until no event is queued. */
async function untilDelivered(database: pg.Client): Promise<void> {
  const end = Date.now() + DELIVERED_WITHIN_MS
  for (;;) {
    const { rows } = await database.query(
      `select kind, attempts, next_attempt_at as ${OBSERVED} from deliveries where pixel_id is not null limit 3`,
    )
    if (rows.length === 0) return
    if (Date.now() > end) {
      const { rows: rests } = await database.query(
        `select lane, failures, until as ${OBSERVED} from lane_rests`,
      )
      throw new Error(`not delivered: ${JSON.stringify(rows)}, resting: ${JSON.stringify(rests)}`)
    }
    await sleep(APART_MS)
  }
}

interface Delivered {
  processes: number
  events: number
  seconds: number
  /** Sent more than once. */
  twice: number
  processorSeconds: number
  /** Waited for locks, all sessions together. */
  lockSeconds: number
}

interface Delivering {
  site: Site
  work: DatabaseWork
  apis: VendorApis
  pixelId: string
}

/** How long the processes take for a queue of events. */
async function deliver({ site, work, apis, pixelId }: Delivering): Promise<Delivered> {
  const { database } = site
  // A real event, held by a slow vendor, is the model for the others.
  apis.answersAfterMs = 3_000
  await post(
    `${site.replicas[0]?.url}${EVENTS_PATH}`,
    { id: randomUUID(), name: 'lead', path: '/' },
    { cookie: site.acceptedCookie },
  )
  const columns = 'kind, pixel_id, event, consent_id, category, payload, created_at, expires_at'
  await database.query(
    `create table if not exists model as select ${columns} from deliveries where pixel_id = $1 limit 1`,
    [pixelId],
  )
  await untilDelivered(database)
  apis.answersAfterMs = VENDOR_MS
  const before = apis.received.length
  const counted = await work.count(async () => {
    await database.query(
      `insert into deliveries (id, event_id, next_attempt_at, ${columns})
       select gen_random_uuid(), gen_random_uuid(), now(), ${columns} from model, generate_series(1, ${DELIVERED})`,
    )
    await untilDelivered(database)
  })
  const ids = apis.received
    .slice(before)
    .flatMap(({ body }) => (body?.data ?? []).map(({ event_id }: { event_id: string }) => event_id))
  const twice = ids.length - new Set(ids).size
  apis.answersAfterMs = 0
  const result = {
    processes: site.replicas.length,
    events: ids.length,
    seconds: counted.seconds,
    twice,
    processorSeconds: counted.work.processor / 1000,
    lockSeconds: counted.lockSeconds,
  }
  console.error(`deliveries: ${JSON.stringify(result)}`)
  return result
}

function judgeDeliveries(delivered: readonly Delivered[]): string[] {
  const [one, many] = delivered
  if (one === undefined || many === undefined) return []
  const rate = ({ events, seconds }: Delivered) => events / seconds
  return [
    ...delivered
      .filter(({ twice }) => twice > 0)
      .map(({ processes, twice }) => `deliveries: ${processes} processes sent ${twice} events twice`),
    ...(rate(many) < rate(one) * 2
      ? [
          `deliveries: ${many.processes} processes deliver ${(rate(many) / rate(one)).toFixed(1)} times what one does`,
        ]
      : []),
  ]
}

function isWanted(part: string): boolean {
  return only === undefined || only.split(',').includes(part)
}

async function measureStage(stage: Stage, site: Site, database: DatabaseWork): Promise<Measured[]> {
  const measured: Measured[] = []
  let idle: Work | null = null
  for (const kind of KINDS) {
    // It may take a minute, and is one transaction of one process however far the database is.
    if (kind.isCheckpoint && (!isWanted('checkpoint') || stage.awayMs > 0)) continue
    if (kind.avoidsCheckpoints) await betweenCheckpoints()
    site.tagSet = await readTagSet(site)
    // As autovacuum would: else each look at the queue steps over the jobs that have left it.
    await site.database.query('vacuum')
    let times = 0
    const { work, seconds, connections, waiting, waitsFor } = await database.count(async () => {
      times = await kind.run(site)
      if (!kind.isIdle) await sleep(SETTLE_MS)
    })
    if (kind.isIdle) idle = mapWork((metric) => work[metric] / seconds)
    const own = mapWork((metric) => {
      const beside = kind.isIdle ? 0 : (idle?.[metric] ?? 0) * seconds
      const share = kind.per?.[metric] === 'process' ? stage.processes : 1
      return Math.max(0, work[metric] - beside) / times / share
    })
    measured.push({ stage, kind, work: own, connections: connections / stage.processes, waiting })
    const figures = METRICS.map((metric) => `${metric} ${shorten(own[metric])}`)
    console.error(
      `${Math.round((Date.now() - begunAt) / 1000)} s: ${nameOf(stage)}: ${kind.name}: ${figures.join(', ')}, ${connections} connections, ${waiting} waiting ${waitsFor}`,
    )
  }
  return measured
}

async function untilNothingIsWritten(database: pg.Client): Promise<void> {
  const written = async (): Promise<number> => {
    const { rows } = await database.query(
      `select (pg_current_wal_insert_lsn() - '0/0')::float8 as ${OBSERVED}`,
    )
    return rows[0][OBSERVED]
  }
  for (let before = await written(), quiet = 0; quiet < 3; ) {
    await sleep(1_000)
    const now = await written()
    quiet = now - before < QUIET_WAL ? quiet + 1 : 0
    before = now
  }
}

/** Waits until the last checkpoint has ended and the next one is some time away. */
async function betweenCheckpoints(): Promise<void> {
  const past = Date.now() % 60_000
  if (past < CHECKPOINT_MS) await sleep(CHECKPOINT_MS - past)
  else if (past > 60_000 - CHOICES_MS) await sleep(60_000 - past + CHECKPOINT_MS)
}

function mapWork(of: (metric: Metric) => number): Work {
  return Object.fromEntries(METRICS.map((metric) => [metric, of(metric)])) as Work
}

async function haveProcesses(site: Site, count: number, env: Record<string, string>): Promise<void> {
  const before = site.replicas.length
  while (site.replicas.length > count) {
    const last = site.replicas.pop()
    last?.server.child.kill('SIGKILL')
    await last?.server.ended
  }
  // A few at a time: each compiles and compresses when it starts.
  while (site.replicas.length < count) {
    const some = Math.min(4, count - site.replicas.length)
    site.replicas.push(...(await Promise.all(Array.from({ length: some }, () => startReplica(place, env)))))
  }
  if (count > before) await sleep(STARTED_MS)
}

/** The same number of requests to every process, evenly paced. */
async function everywhere(site: Site, once: (replica: Replica) => Promise<void>): Promise<number> {
  return paced(() => site.replicas.map(once))
}

/** Ten changes a second, each at another process. */
function changePixels(site: Site): Promise<number> {
  return paced((round) => {
    const replica = site.replicas[round % site.replicas.length]
    const id = site.changing[round % site.changing.length]
    const isActive = Math.floor(round / site.changing.length) % 2 === 1
    return [
      expect(204, () =>
        fetch(`${replica?.url}/rest/v1/tracking_pixels?id=eq.${id}`, {
          method: 'PATCH',
          headers: { ...site.administrator.headers, 'content-type': 'application/json' },
          body: JSON.stringify({ is_active: isActive }),
        }),
      ),
    ]
  })
}

async function paced(begin: (round: number) => Promise<void>[]): Promise<number> {
  const running: Promise<Error | null>[] = []
  const start = performance.now()
  for (let round = 0; round < REQUESTS; round++) {
    // Settled in any case: everything that was started must be stopped at the end.
    for (const each of begin(round)) running.push(each.then(() => null).catch((error: Error) => error))
    await sleep(Math.max(0, start + (round + 1) * APART_MS - performance.now()))
  }
  const failed = (await Promise.all(running)).find((error) => error !== null)
  if (failed) throw failed
  return running.length
}

function customPixels(from: number, to: number): object[] {
  return Array.from({ length: to - from }, (_, index) => ({
    name: `Campanha ${from + index}`,
    type: 'custom',
    consent_category: 'marketing',
    code: `<script>window.n${from + index} = 1</script>`,
    // Stored and not used: the outbox must look only at pixels with jobs.
    webhook_url: 'https://hooks.exemplo.com.br/unused',
    access_token: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    delivery: 'browser',
    is_active: true,
  }))
}

async function addPixels({ replicas, administrator }: Site, pixels: readonly object[]): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < pixels.length; ) {
    const answer = await fetch(`${replicas[0]?.url}/rest/v1/tracking_pixels`, {
      method: 'POST',
      headers: {
        ...administrator.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: JSON.stringify(pixels.slice(at, at + 100)),
    })
    // Busy: nothing was stored.
    if (answer.status === 503) {
      await sleep(SETTLE_MS)
      continue
    }
    if (!answer.ok) throw new Error(`adding pixels: ${answer.status} ${await answer.text()}`)
    at += 100
    ids.push(...((await answer.json()) as { id: string }[]).map(({ id }) => id))
  }
  return ids
}

async function acceptEverything(url: string): Promise<string> {
  const id = randomUUID()
  const all = [...OPTIONAL_CATEGORIES]
  await post(`${url}${CONSENT_PATH}`, {
    id,
    action: 'accept_all',
    categories: all,
    text_version: CONSENT_TEXT_VERSION,
    tag_set_version: '',
  })
  return `portico_consent=${formatConsent({ textVersion: CONSENT_TEXT_VERSION, granted: all, asked: all, id })}`
}

/** The set that every process shows. */
async function readTagSet({ replicas }: Site): Promise<string> {
  const attribute = new RegExp(`${TAG_SET_ATTRIBUTE}="?([\\w-]+)`)
  for (;;) {
    const sets = await Promise.all(
      replicas.map(async ({ url }) => attribute.exec(await (await fetch(url)).text())?.[1] ?? ''),
    )
    if (new Set(sets).size === 1) return sets[0] ?? ''
    await sleep(APART_MS)
  }
}

/** Each from its own address: limits are not measured here. */
function send(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const [a = 0, b = 0, c = 0] = randomBytes(3)
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.${a}.${b}.${c}`, ...headers },
    body: JSON.stringify(body),
  })
}

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<void> {
  return expect(204, () => send(url, body, headers))
}

/** A machine that is too busy for sixteen processes refuses calls, which says nothing of what they cost. */
async function expect(status: number, ask: () => Promise<Response>): Promise<void> {
  for (;;) {
    const answer = await ask()
    const text = await answer.text()
    if (answer.status === status) return
    if (answer.status !== 503) throw new Error(`${answer.url}: ${answer.status} ${text.slice(0, 300)}`)
    console.error(`asked again after 503: ${text.slice(0, 60)}`)
    await sleep(APART_MS)
  }
}

function judge(measured: readonly Measured[]): string[] {
  const faults: string[] = []
  for (const { stage, kind, work, connections } of measured) {
    if (connections > POOL_SIZE) faults.push(`${kind.name}: ${connections} connections of one process`)
    const others = [
      // One process at the same distance.
      { by: 'processes', base: find(measured, kind, { ...stage, processes: 1, pixels: FEW_PIXELS }) },
      { by: 'pixels', base: find(measured, kind, { ...stage, pixels: FEW_PIXELS }) },
    ]
    for (const { by, base } of others)
      for (const metric of METRICS) {
        if (base === undefined || stage.pixels > FEW_PIXELS !== (by === 'pixels')) continue
        if (by === 'pixels' && kind.growsWithPixels?.includes(metric)) continue
        if (work[metric] > base.work[metric] * FACTOR + (kind.slack?.[metric] ?? SLACK[metric]))
          faults.push(
            `${kind.name}: ${metric} grows with the ${by}, from ${shorten(base.work[metric])} to ${shorten(work[metric])} (${nameOf(stage)})`,
          )
      }
  }
  return faults
}

function find(measured: readonly Measured[], kind: Kind, stage: Stage): Measured | undefined {
  return measured.find((each) => each.kind === kind && nameOf(each.stage) === nameOf(stage))
}

function nameOf({ processes, awayMs, pixels }: Stage): string {
  return `${processes} ${processes === 1 ? 'process' : 'processes'}, ${awayMs} ms, ${pixels} pixels`
}

function shorten(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
}

function describe(
  measured: readonly Measured[],
  delivered: readonly Delivered[],
  faults: readonly string[],
): string {
  const tables = KINDS.map((kind) => {
    const rows = measured.filter((each) => each.kind === kind)
    const unit = (metric: Metric) => (kind.per?.[metric] === 'process' ? ' per process' : '')
    return `## ${capitalise(kind.name)}\n\n${formatTable([
      [
        'processes, distance, pixels',
        `statements${unit('statements')}`,
        `WAL bytes${unit('wal')}`,
        `rows locked or written${unit('locked')}`,
        `rows read${unit('read')}`,
        `buffers${unit('buffers')}`,
        `processor ms${unit('processor')}`,
        'connections of a process',
        'sessions waiting for a lock',
      ],
      ...rows.map(({ stage, work, connections, waiting }) => [
        nameOf(stage),
        ...METRICS.map((metric) => shorten(work[metric])),
        shorten(connections),
        String(waiting),
      ]),
    ])}`
  })
  return `# Cost by number of processes

Written by \`npm run scale -- --write\`. One PostgreSQL, full page images and autovacuum off, every figure per request unless the column says per process. The work of an idle system is subtracted, except in the first table. Processor time is that of all processes and PostgreSQL together, counted in hundredths of a second.

A cost grows when it is more than ${FACTOR} times that of one process at the same distance, or of ${FEW_PIXELS} pixels, beyond a small difference. ${faults.length === 0 ? 'None grew.' : `${faults.length} grew:`}

${faults.map((fault) => `- ${fault}\n`).join('')}${faults.length === 0 ? '' : '\n'}${tables.join('\n\n')}

## A queue of ${DELIVERED.toLocaleString('en')} events for Meta, ${DELIVERY_AWAY_MS} ms away

Meta's stand-in takes a second for each request, so that processes wait and do not share out the processor. Eight must deliver at least twice what one does, and no event twice.

${formatTable([
  [
    'processes',
    'events delivered',
    'seconds',
    'events a second',
    'sent twice',
    'processor seconds',
    'seconds waited for locks, all sessions',
  ],
  ...delivered.map(({ processes, events, seconds, twice, processorSeconds, lockSeconds }) => [
    String(processes),
    events.toLocaleString('en'),
    seconds.toFixed(1),
    shorten(events / seconds),
    String(twice),
    processorSeconds.toFixed(1),
    lockSeconds.toFixed(1),
  ]),
])}
`
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
