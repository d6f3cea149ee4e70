import { randomUUID } from 'node:crypto'
import { type NotNull, sql } from 'kysely'
import { type DeliveryState, TOKEN_MISSING } from '#contract/conversions.ts'
import type { PixelDelivery } from '#contract/pixel.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { LedgerStep } from '#contract/visit-results.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { inBatches } from '../db/sweep.ts'
import { change, post } from '../db/transactions/change.ts'
import type { Outcome } from '../outbox/channel.ts'
import { addCounts, sumCounts } from '../stats/counts.ts'
import type { SeriesKeys } from '../stats/series.ts'
import { type Job, unconfirmedTexts } from './destinations/destination.ts'
import { destinationOf } from './destinations/destinations.ts'

interface CopyCount {
  /** When the hour or day in which the events happened begins. */
  at: string
  state: DeliveryState
  count: number
}

/** What became of the server's copies, settled or waiting: one statement, so that each event is in one place. */
export async function readCopies(
  db: Db,
  pixelId: string,
  { step, from, to }: { step: LedgerStep; from: string; to: string },
): Promise<CopyCount[]> {
  const hour =
    engineOf(db) === 'sqlite'
      ? sql<string>`substr(created_at, 1, 13) || ':00:00.000Z'`
      : sql<string>`date_trunc('hour', created_at, 'UTC')`
  const rows = await db
    .selectFrom('counts')
    .select(['at', 'key'])
    .select((eb) => eb.fn.sum('count').as('count'))
    .where('subject', '=', pixelId)
    .where('series', '=', 'conversion')
    .where('resolution', '=', step)
    .where('at', '>=', from)
    .where('at', '<', to)
    .groupBy(['at', 'key'])
    .unionAll(
      db
        .selectFrom('deliveries')
        .select([hour.as('at'), sql<string>`'waiting '`.as('key')])
        .select((eb) => eb.fn.countAll().as('count'))
        .where('pixel_id', '=', pixelId)
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .groupBy(hour),
    )
    .execute()
  return rows.map(({ at, key, count }) => ({
    at,
    state: readOutcome(key as SeriesKeys['conversion']).state,
    count: Number(count),
  }))
}

const DAY_MS = 86_400_000

/** What became of the server's copies in the last 24 hours, and whether they are sent at all. */
export interface CopyEvidence {
  delivery: Exclude<PixelDelivery, 'browser'>
  stop: { code: string; message: string } | null
  accepted: number
  unconfirmed: number
  refused: number
  /** The last attempt failed, and something waits for the next. */
  isRetrying: boolean
  /** Portuguese: what is known where the destination confirms nothing. */
  unconfirmedText: string
}

/** By pixel; only of those that the server tells of. */
export async function readCopyEvidence(db: Db, now = Date.now()): Promise<ReadonlyMap<string, CopyEvidence>> {
  const [pixels, counts] = await Promise.all([
    db
      .selectFrom('tracking_pixels as pixel')
      .leftJoin('delivery_stops as stop', 'stop.pixel_id', 'pixel.id')
      .select(['pixel.id', 'pixel.type', 'pixel.destination', 'pixel.delivery', 'pixel.has_access_token'])
      .select(['stop.code', 'stop.message'])
      .select((eb) => [
        eb
          .selectFrom('delivery_log as log')
          .select('log.state')
          .whereRef('log.pixel_id', '=', 'pixel.id')
          .orderBy('log.created_at', 'desc')
          .orderBy('log.id')
          .limit(1)
          .as('last_state'),
        eb
          .selectFrom('deliveries as waiting')
          .select('waiting.id')
          .whereRef('waiting.pixel_id', '=', 'pixel.id')
          .limit(1)
          .as('waiting_id'),
      ])
      .where('pixel.is_active', '=', true)
      .where('pixel.delivery', '<>', 'browser')
      .execute(),
    sumCounts(db, { series: 'conversion', resolution: 'hour', from: now - DAY_MS + 1 }),
  ])
  const evidence = new Map<string, CopyEvidence>()
  for (const pixel of pixels) {
    const { id, delivery, has_access_token, code, message, last_state, waiting_id } = pixel
    const destination = destinationOf(pixel)
    if (delivery === 'browser' || destination === null) continue
    const stop = code === null || message === null ? null : { code, message }
    const missing = has_access_token ? null : { code: 'token_missing', message: TOKEN_MISSING }
    evidence.set(id, {
      delivery,
      stop: stop ?? missing,
      accepted: 0,
      unconfirmed: 0,
      refused: 0,
      isRetrying: last_state === 'waiting' && waiting_id !== null,
      unconfirmedText: unconfirmedTexts(destination).health,
    })
  }
  for (const { subject, key, count } of counts) {
    const found = evidence.get(subject)
    const { state } = readOutcome(key)
    if (found !== undefined && (state === 'accepted' || state === 'unconfirmed' || state === 'refused'))
      found[state] += count
  }
  return evidence
}

interface WaitingDeliveries {
  kind: string
  waiting: number
  /** When the one that has waited longest was stored. */
  oldestAt: string | null
}

/** How much waits of each kind, and since when: pixel by pixel, because that is how the queue is found. */
export async function measureDeliveries(db: Db): Promise<WaitingDeliveries[]> {
  const pixels = await db
    .selectFrom('tracking_pixels as pixel')
    .select(['pixel.type', 'pixel.destination'])
    .select((eb) => [
      eb
        .selectFrom('deliveries')
        .select((of) => of.fn.countAll<number>().as('count'))
        .whereRef('deliveries.pixel_id', '=', 'pixel.id')
        .as('waiting'),
      eb
        .selectFrom('deliveries')
        .select((of) => of.fn.min('deliveries.created_at').as('at'))
        .whereRef('deliveries.pixel_id', '=', 'pixel.id')
        .as('oldestAt'),
    ])
    .where((eb) => eb.or([eb('pixel.has_access_token', '=', true), eb('pixel.delivery', '<>', 'browser')]))
    .execute()
  const measured = pixels.flatMap(({ waiting, oldestAt, ...pixel }) => {
    const destination = destinationOf(pixel)
    return destination === null ? [] : [{ kind: destination.id, waiting: Number(waiting), oldestAt }]
  })
  for (const [kind, kinds] of [
    ['newsletter', ['newsletter']],
    // With the requests for one, which become an e-mail within a second.
    ['mail', ['mail', 'account-mail']],
  ] as const) {
    const { count, oldest } = await db
      .selectFrom('deliveries')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
      .where('pixel_id', 'is', null)
      .where('kind', 'in', kinds)
      .executeTakeFirstOrThrow()
    measured.push({ kind, waiting: Number(count), oldestAt: oldest })
  }
  return [...Map.groupBy(measured, ({ kind }) => kind)].map(([kind, rows]) => ({
    kind,
    waiting: rows.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestAt: rows.flatMap(({ oldestAt }) => oldestAt ?? []).sort()[0] ?? null,
  }))
}

const TIME = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: SITE_TIME_ZONE,
})

/** The e-mail to administrators when a pixel's sending stops. `expiresAt` is the first expiry in its queue. */
export function describeStop(
  pixel: { id: string; name: string },
  { message }: Stop,
  expiresAt: string | null,
) {
  return {
    kind: 'deliveries-stopped',
    subject: `O envio de "${pixel.name}" parou`,
    paragraphs: [
      `O servidor deixou de enviar as conversões do pixel "${pixel.name}".`,
      message,
      expiresAt === null
        ? 'Nenhuma conversão espera na fila.'
        : `As conversões esperam na fila até o prazo da plataforma: a primeira vence em ${TIME.format(new Date(expiresAt))} (horário de Brasília).`,
      'O envio volta quando você salvar a correção. Enquanto isso, tentamos uma conversão por hora e, quando ela é aceita, enviamos as outras.',
    ],
    path: `/admin/pixels/${pixel.id}`,
    label: 'Ver o pixel',
  }
}

const LOGGED = 20

export interface Stop {
  code: string
  message: string
}

interface Recorded {
  pixelId: string
  outcomes: readonly Outcome<Job>[]
  isOurs: (outcome: Outcome<Job>) => boolean
  stop: Stop | null
  now: number
}

/**
 * What is kept of a pixel's round: rows that left the queue are counted as they leave, each once, whoever else deletes
 * them. True when this process was the one that stopped the pixel.
 */
export async function recordOutcomes(trx: Db, recorded: Recorded): Promise<boolean> {
  const { pixelId, outcomes, isOurs, now } = recorded
  await countSettled(
    trx,
    outcomes
      .filter((outcome) => outcome.state !== 'waiting' && isOurs(outcome))
      .map(({ job, state, reason }) => ({
        pixel_id: pixelId,
        created_at: job.created_at,
        state: state as Exclude<DeliveryState, 'waiting'>,
        reason,
      })),
  )
  await log(
    trx,
    pixelId,
    outcomes.filter(({ isUntouched }) => !isUntouched),
    now,
  )
  const isAccepted = outcomes.some(({ state }) => state === 'accepted')
  return noteStop(trx, { pixelId, stop: recorded.stop, isAccepted, now })
}

/** True when it was not stopped before. What is accepted ends a stop. */
export async function noteStop(
  trx: Db,
  { pixelId, stop, isAccepted, now }: Pick<Recorded, 'pixelId' | 'stop' | 'now'> & { isAccepted: boolean },
): Promise<boolean> {
  if (stop === null) {
    if (isAccepted) await post(trx, trx.deleteFrom('delivery_stops').where('pixel_id', '=', pixelId))
    return false
  }
  const at = new Date(now).toISOString()
  const first = await trx
    .insertInto('delivery_stops')
    .values({ pixel_id: pixelId, ...stop, stopped_at: at, tried_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('pixel_id')
    .executeTakeFirst()
  if (first !== undefined) return true
  await trx
    .updateTable('delivery_stops')
    .set({ ...stop, tried_at: at })
    .where('pixel_id', '=', pixelId)
    .execute()
  return false
}

/** The last twenty of the pixel, for the dashboard. */
async function log(trx: Db, pixelId: string, outcomes: readonly Outcome<Job>[], now: number): Promise<void> {
  const last = outcomes.slice(-LOGGED)
  if (last.length === 0) return
  const rows = last.map(({ job, state, answer, message }) => ({
    id: randomUUID(),
    pixel_id: pixelId,
    event: job.event,
    state,
    attempts: job.attempts,
    answer,
    message,
    created_at: new Date(now).toISOString(),
  }))
  await post(trx, trx.insertInto('delivery_log').values(rows))
  const older = trx
    .deleteFrom('delivery_log')
    .where('pixel_id', '=', pixelId)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('delivery_log')
        .select('id')
        .where('pixel_id', '=', pixelId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(LOGGED),
    )
  await post(trx, older)
}

/** Counts as expired the events that no vendor takes any more, also of pixels that are off or stopped. */
export async function expireConversions(
  db: Db,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ deliveries: number }> {
  return { deliveries: await inBatches((rows) => expireSome(db, rows, now), signal) }
}
function expireSome(db: Db, rows: number, now: number): Promise<bigint> {
  return change(db, async (trx) => {
    const expired = await trx
      .deleteFrom('deliveries')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where('expires_at', '<=', new Date(now).toISOString())
          .where('pixel_id', 'is not', null)
          .limit(rows),
      )
      .returning(['pixel_id', 'created_at', 'sent_at'])
      .$narrowType<{ pixel_id: NotNull }>()
      .execute()
    await countSettled(
      trx,
      expired.map(({ sent_at, ...row }) => ({
        ...row,
        state: sent_at === null ? ('expired' as const) : ('unconfirmed' as const),
        reason: '',
      })),
    )
    return BigInt(expired.length)
  })
}

interface Settled {
  pixel_id: string
  /** When it happened: its hour is where it counts. */
  created_at: string
  state: Exclude<DeliveryState, 'waiting'>
  reason: string
}

/** Counts what left the queue. In the transaction that deletes the rows, so that each event is in one place, always. */
export async function countSettled(trx: Db, settled: readonly Settled[]): Promise<void> {
  await addCounts(
    trx,
    settled.map(({ pixel_id, created_at, state, reason }) => ({
      series: 'conversion',
      subject: pixel_id,
      key: `${state} ${reason}`,
      at: Date.parse(created_at),
    })),
  )
}

/** State and reason of a stored count. */
export function readOutcome(key: SeriesKeys['conversion']): {
  state: Exclude<DeliveryState, 'waiting'>
  reason: string
} {
  const space = key.indexOf(' ')
  return { state: key.slice(0, space) as Exclude<DeliveryState, 'waiting'>, reason: key.slice(space + 1) }
}
