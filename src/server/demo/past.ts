import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import { nextSiteDay, startOfSiteDay } from '#contract/site.ts'
import { AlertWatch } from '../alerts/alerts.ts'
import { buildApp, type DemonstrationSteps } from '../app.ts'
import { type Config, parseConfig } from '../config.ts'
import { addToCheckpoint } from '../consent/checkpoints.ts'
import { acceptClock } from '../db/clock.ts'
import { type Db, openDatabase } from '../db/database.ts'
import { SqliteInProcess } from '../db/engines/sqlite-in-process.ts'
import { RateCounter } from '../http/limits/counter.ts'
import { createLogger, type Logger } from '../http/logging/logger.ts'
import { compressQuickly } from '../http/static/responses.ts'
import { checkVendorFiles, listFileChanges } from '../inventory/vendor-files.ts'
import { createMailTransport, type SendMail } from '../mail/transport.ts'
import { prepareDatabase } from '../secrets/encrypted-database.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { Administrators } from './administrators.ts'
import { SimulatedClock } from './clock.ts'
import { Customers } from './customers.ts'
import {
  BURST_MS,
  DEMO_PIXEL_NAMES,
  DEMO_PIXELS,
  HOTJAR_BROKE_MS,
  STOPPED_HOST,
  STOPPED_SINCE_MS,
} from './pixels.ts'
import { Random } from './random.ts'
import { StandIns } from './stand-ins.ts'
import { type Behaviours, type Converted, drawVisits, type Site, type Visit, Visitors } from './visitors.ts'

export interface PastOptions {
  dataDir: string
  days: number
  /** On an ordinary day. */
  visits: number
  seed: string
  /** End of the past in milliseconds: now, unless a test compares two of them. */
  until: number
  port: number
  principal: { email: string; password: string }
}

/** How long before the end of the past one webhook starts to fail. */
const FAILS_SINCE_MS = 12 * HOUR_MS

/** No timer writes: the steps do. */
const NEVER_MS = 2 ** 31 - 1

/** Settings of a demo: fixed ones, and nothing that leads out of this machine. */
export function demoConfig({
  dataDir,
  port,
  principal,
}: Pick<PastOptions, 'dataDir' | 'port' | 'principal'>): Config {
  return parseConfig({
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    PRINCIPAL_ADMIN_EMAIL: principal.email,
    PRINCIPAL_ADMIN_PASSWORD: principal.password,
    // Never connected to: emails go to the outbox folder. Without it, the dashboard would offer no email.
    SMTP_URL: 'smtp://127.0.0.1:1',
    NEWSLETTER_WEBHOOK_URL: 'https://crm.exemplo.com.br/inscricoes',
    NEWSLETTER_WEBHOOK_SECRET: 'demonstracao-sem-segredo',
    COMPANY_LEGAL_NAME: 'Pórtico Pagamentos (demonstração)',
    DPO_EMAIL: 'privacidade@portico.example',
    SITE_CONTENT_FILE: fileURLToPath(new URL('./site.json', import.meta.url)),
    LOG_LEVEL: 'error',
  })
}

/** Stand-ins for external servers of a demo that ends, or ended, at this time. */
export function demoWorld(
  config: Config,
  log: Logger,
  until: number,
): { client: StandIns; sendMail: SendMail } {
  const mail = { ...config.mail, smtpUrl: null }
  return {
    client: new StandIns({ failsFrom: until - FAILS_SINCE_MS }),
    sendMail: createMailTransport({ ...config, mail }, log),
  }
}

/** The behaviour of each tag at each time of that past. */
export function demoBehaviours(pixelIds: Readonly<Record<string, string>>, until: number): Behaviours {
  const known = new Map(DEMO_PIXEL_NAMES.map((name) => [pixelIds[name], name]))
  const of: Behaviours['of'] = (pixelId, at) => {
    const name = known.get(pixelId)
    if (name === undefined) return {}
    const pixel = DEMO_PIXELS[name]
    const usual = 'behaviour' in pixel ? pixel.behaviour : {}
    if (name === 'tagManager' && at > until - STOPPED_SINCE_MS) return { ...usual, stopped: STOPPED_HOST }
    if (name === 'hotjar' && at > until - HOTJAR_BROKE_MS)
      return { ...usual, failed: 1, error: 'TypeError: w.hj is not a function' }
    if (name === 'rdStation' && isInBurst(at, until))
      return { ...usual, failed: 0.78, error: "TypeError: Cannot read properties of null (reading 'submit')" }
    return usual
  }
  return { of, detailedFrom: until - DETAILED_MS }
}

/** Longer than the retention of hosts and costs. */
const DETAILED_MS = 4 * DAY_MS

const BURST_LENGTH_MS = 8 * MINUTE_MS

/** At the start of a step, at whose end the breaker looks back ten minutes. */
function burstAt(until: number): number {
  return Math.floor((until - BURST_MS) / SHORT_STEP_MS) * SHORT_STEP_MS
}

function isInBurst(at: number, until: number): boolean {
  return at >= burstAt(until) && at < burstAt(until) + BURST_LENGTH_MS
}

/**
 * Simulates the days before `until` with the product itself: visitors post what their pages post, administrators call
 * what the dashboard calls, and timers' work is started at its simulated time. This process uses the simulated clock
 * from here on.
 */
async function livePast(options: PastOptions, onProgress: (share: number) => void = () => {}): Promise<void> {
  const { days, visits, seed, until } = options
  const from = startOfSiteDay(until - days * DAY_MS) + 9 * HOUR_MS
  const clock = new SimulatedClock(from)
  clock.install()
  // Retries have random jitter; two pasts of one seed must be equal.
  Math.random = () => 0.5
  // Each change of a pixel would compress the pages of all niches, which nobody opens in the past.
  const config = { ...demoConfig(options), siteContentFile: null }
  const log = createLogger(config.logLevel)
  // Nobody but this loop waits for the database.
  const database = openDatabase({ ...config, executeSqlite: (file) => new SqliteInProcess(file) })
  const { db } = database
  // After a power failure the demo is simply generated again.
  await sql`pragma synchronous = off`.execute(db)
  const secrets = await prepareDatabase(config, db, (problem) => {
    throw problem
  })
  const world = demoWorld(config, log, until)
  const counter = new RateCounter(db, log, { flushMs: NEVER_MS })
  let steps: DemonstrationSteps | null = null
  const app = await buildApp({
    config,
    database,
    secrets,
    log,
    counter,
    distDir: 'dist',
    flushMs: NEVER_MS,
    // Hundreds of sign-ins in a minute, for accounts that live as long as the demo.
    hashCost: { memoryCost: 1_024, timeCost: 1, parallelism: 1 },
    compressPage: compressQuickly,
    maxEventLoopDelayMs: NEVER_MS,
    demonstration: {
      ...world,
      isPast: true,
      isRead: ({ series, at = Date.now() }) => series !== 'tag.breaker' || at > until - RECENT_MS,
      onBuilt: (built) => {
        steps = built
      },
    },
  })
  await app.ready()
  const taken = steps as DemonstrationSteps | null
  if (taken === null) throw new Error('the app was built without its steps')
  const span = { from, until, visits }
  const administrators = new Administrators({
    app,
    clock,
    seed,
    principal: options.principal,
    origin: config.siteUrl,
    span,
  })
  const site = siteOf(app, taken, config.siteUrl, (at, work) => clock.at(at, work))
  const visitors = new Visitors(
    new Random(`${seed} visitors`),
    site,
    demoBehaviours(administrators.pixelIds, until),
  )
  const housekeeping = new Housekeeping({
    app,
    db,
    secrets,
    config,
    log,
    counter,
    world,
    steps: taken,
    recentFrom: until - RECENT_MS,
  })
  const customers = new Customers(new Random(`${seed} customers`))
  const times = new Random(`${seed} times`)
  // A mailing that everybody opens at once.
  const readers = Math.max(140, Math.round(visits / 2))
  const burst = Array.from({ length: readers }, (_, reader) =>
    Math.floor(burstAt(until) + (reader / readers) * BURST_LENGTH_MS),
  )
  const begins = [...drawVisits(times, span), ...burst.filter((at) => at >= from)].sort((a, b) => a - b)
  let begun = 0
  let sendAt: SendTime[] = []
  for (let now = from; now < until; ) {
    const end = endOfStep(now, until)
    while (isBefore(begins[begun], end) || isBefore(administrators.nextAt, end)) {
      // Until something is changed or sent, visits are independent.
      let next = Math.min(administrators.nextAt, end, (sendAt[0]?.at ?? end) + BATCH_MS)
      const batch: Visit[] = []
      for (; isBefore(begins[begun], next) && batch.length < BATCH_SIZE; begun++) {
        const at = begins[begun] ?? next
        const visit = visitors.draw(at, { isReader: isInBurst(at, until) })
        batch.push(visit)
        if (isSentAtOnce(visit, until)) next = Math.min(next, at + BATCH_MS)
      }
      next = Math.min(next, begins[begun] ?? next)
      const converted = await Promise.all(batch.map((visit) => visitors.live(visit)))
      for (const one of converted) if (one !== null) customers.add(one)
      sendAt = [...sendAt, ...visibleAt(converted, until)].sort((a, b) => a.at - b.at)
      for (const { at, lane } of sendAt.filter(({ at }) => at < next)) {
        clock.moveTo(at + 3 * SECOND_MS)
        await taken.deliver(lane)
      }
      sendAt = sendAt.filter(({ at }) => at >= next)
      clock.moveTo(next)
      if (next === administrators.nextAt) await administrators.next()
    }
    now = end
    clock.moveTo(now)
    await customers.report(app, administrators.outcomeKey, now)
    await housekeeping.after(now)
    onProgress((now - from) / (until - from))
  }
  await housekeeping.finish(until)
  await app.close()
  await database.close()
}

function isBefore(at: number | undefined, end: number): boolean {
  return at !== undefined && at < end
}

/**
 * A batch of visits is stored before anything of it is sent. Jobs more than an hour ahead of the clock count as left
 * from before it was set back, and would be sent before they exist.
 */
const BATCH_MS = 30 * MINUTE_MS
/** Bounds the memory of a past with many visits. */
const BATCH_SIZE = 250

interface SendTime {
  at: number
  /** Undefined for all. */
  lane: string | undefined
}

/** The dashboard shows when these were sent: all subscriptions, and everything of the last day. */
function visibleAt(converted: readonly (Converted | null)[], until: number): SendTime[] {
  return converted
    .filter((one) => one !== null)
    .filter((one) => isSentAtOnce(one, until))
    .map(({ at }) => ({ at, lane: at > until - DAY_MS ? undefined : 'newsletter' }))
}

function isSentAtOnce({ at, conversion }: Pick<Visit, 'at' | 'conversion'>, until: number): boolean {
  return conversion === 'sign_up' || (conversion !== 'none' && at > until - DAY_MS)
}

/** Whose hours the dashboard shows. Before, a few hours are one step. */
const RECENT_MS = 2 * DAY_MS
const LONG_STEP_MS = 6 * HOUR_MS
/** In the hour of the burst, and in the last hours, whose checkpoints and jobs are listed with their minutes. */
const SHORT_STEP_MS = 10 * MINUTE_MS
const LAST_MS = 3 * HOUR_MS

/** No step goes past midnight: visitors of a day are known until then. */
function endOfStep(now: number, until: number): number {
  const day = startOfSiteDay(now)
  const endOf = (length: number) => day + (Math.floor((now - day) / length) + 1) * length
  const isBurst = burstAt(until) < endOf(HOUR_MS) && now < burstAt(until) + BURST_LENGTH_MS
  const length =
    now < until - RECENT_MS ? LONG_STEP_MS : isBurst || now >= until - LAST_MS ? SHORT_STEP_MS : HOUR_MS
  return Math.min(endOf(length), nextSiteDay(day), until)
}

/** The site as its pages reach it. */
export function siteOf(
  app: FastifyInstance,
  steps: DemonstrationSteps,
  origin: string,
  atTime: <T>(at: number, work: () => Promise<T>) => Promise<T>,
): Site {
  const { host } = new URL(origin)
  return {
    origin,
    tagSet: steps.tagSet,
    view: (at, { page, query, referrer, cookie, address, agent }) =>
      atTime(at, async () =>
        steps.addView(
          {
            headers: {
              host,
              'sec-fetch-dest': 'document',
              'sec-fetch-mode': 'navigate',
              'user-agent': agent,
              ...(referrer === '' ? {} : { referer: referrer }),
              ...(cookie === '' ? {} : { cookie }),
            },
            socket: { remoteAddress: address },
          },
          page,
          query === '' ? null : query,
        ),
      ),
    post: (at, { path, body, page = '/', cookie, address, agent }) =>
      atTime(at, async () => {
        const response = await app.inject({
          method: 'POST',
          url: path,
          remoteAddress: address,
          headers: {
            host,
            origin,
            'sec-fetch-site': 'same-origin',
            'user-agent': agent,
            referer: origin + page,
            ...(cookie === '' ? {} : { cookie }),
          },
          payload: body,
        })
        if (response.statusCode >= 300)
          throw new Error(`POST ${path} was answered with ${response.statusCode}: ${response.body}`)
      }),
  }
}

interface HousekeepingDeps {
  app: FastifyInstance
  db: Db
  secrets: Secrets
  config: Config
  log: Logger
  counter: RateCounter
  world: { client: StandIns }
  steps: DemonstrationSteps
  /** From here on health is checked every hour. */
  recentFrom: number
}

/** Rarely: whatever is past its retention at the end is deleted at the end. */
const SWEEP_EVERY_MS = 7 * DAY_MS

/** What timers start in a running server, at simulated times. */
class Housekeeping {
  readonly #deps: HousekeepingDeps
  readonly #watch: AlertWatch
  readonly #signal = new AbortController().signal
  #lookedAt = 0
  #dayBegunAt = 0
  #sweptAt = 0

  constructor(deps: HousekeepingDeps) {
    const { db, secrets, config, log, steps } = deps
    this.#deps = deps
    this.#watch = new AlertWatch({
      db,
      log,
      secrets,
      brandName: config.site.brandName,
      adminUrl: config.dashboardUrl,
      wakeOutbox: () => {},
      canSend: true,
      readOverview: steps.readOverview,
      readFileChanges: () => listFileChanges(db),
    })
  }

  /** At the end of each step. */
  async after(now: number): Promise<void> {
    const { db, steps, world, counter, app } = this.#deps
    await steps.writeCounts()
    await steps.deliver()
    await addToCheckpoint(db, { now })
    const lookEvery = now < this.#deps.recentFrom ? 12 * HOUR_MS : HOUR_MS
    if (now - this.#lookedAt >= lookEvery) {
      this.#lookedAt = now
      await this.#watch.look(now)
      await this.#watch.mailDue(now)
    }
    if (now - this.#dayBegunAt < DAY_MS) return
    this.#dayBegunAt = now
    await checkVendorFiles({ db, fetchFile: (url) => world.client.fetchFile(url) }, this.#signal, now)
    await acceptClock(db)
    // Windows of limits end within the hour.
    counter.clear()
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = now
    for (const { run } of app.sweeps) await run(this.#signal)
  }

  async finish(now: number): Promise<void> {
    const { db, steps, counter, app } = this.#deps
    await steps.writeCounts()
    await steps.deliver()
    await addToCheckpoint(db, { now })
    await this.#watch.look(now)
    await acceptClock(db)
    counter.clear()
    for (const { run } of app.sweeps) await run(this.#signal)
  }
}

/** `node src/server/demo/past.ts '{"dataDir": …}'`: a separate process, because of its clock. */
if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? '{}') as PastOptions
  let shown = -1
  await livePast(options, (share) => {
    const percent = Math.floor(share * 20) * 5
    if (percent === shown || !process.stdout.isTTY) return
    shown = percent
    process.stdout.write(`\rCriando ${options.days} dias de demonstração… ${percent} %`)
  })
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K')
}
