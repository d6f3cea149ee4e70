import { randomUUID } from 'node:crypto'
import { type NotNull, sql } from 'kysely'
import { type DeliveryState, TOKEN_MISSING } from '#contract/conversions.ts'
import { DAY_MS, HOUR_MS } from '#contract/durations.ts'
import type { PixelDelivery } from '#contract/pixel.ts'
import { outcomeOf, type SentEvent } from '#contract/server-event.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { VisitResultStep } from '#contract/visit-results.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import { inBatches } from '../db/sweep.ts'
import { change, pipeline } from '../db/transactions/change.ts'
import type { Outcome } from '../outbox/channel.ts'
import { addCounts, type Count, sumCounts } from '../stats/counts.ts'
import type { SeriesKeys } from '../stats/series.ts'
import { type Job, unconfirmedTexts } from './destinations/destination.ts'
import { destinationOf } from './destinations/destinations.ts'

interface CopyCount {
  /** Start of the hour or day in which the events happened. */
  at: string
  state: DeliveryState
  count: number
}

/** Counts events sent by the server, settled or waiting, in one statement, so that each event counts once. */
export async function readCopies(
  db: Db,
  pixelId: string,
  { step, from, to }: { step: VisitResultStep; from: string; to: string },
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
    state: readDeliveryResult(key as SeriesKeys['conversion']).state,
    count: Number(count),
  }))
}

/** Results of the last 24 hours, and whether the server sends at all. */
export interface ServerResults {
  delivery: Exclude<PixelDelivery, 'browser'>
  stop: { code: string; message: string } | null
  accepted: number
  unconfirmed: number
  refused: number
  /** The last attempt failed, and jobs wait for the next one. */
  isRetrying: boolean
  /** The same, and no attempt of the last hour succeeded. */
  isFailing: boolean
  /** Portuguese text where the destination confirms nothing. */
  unconfirmedText: string
}

/** By pixel, only for pixels that the server sends for. */
export async function readServerResults(
  db: Db,
  now = Date.now(),
): Promise<ReadonlyMap<string, ServerResults>> {
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
        // The log keeps the last attempts only: if none of them succeeded, it is null.
        eb
          .selectFrom('delivery_log as log')
          .select((log) => log.fn.max('log.created_at').as('at'))
          .whereRef('log.pixel_id', '=', 'pixel.id')
          .where('log.state', 'in', ['accepted', 'unconfirmed'])
          .as('last_sent_at'),
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
  const outcomes = new Map<string, ServerResults>()
  for (const pixel of pixels) {
    const { id, delivery, code, message, last_state, last_sent_at, waiting_id } = pixel
    const destination = destinationOf(pixel)
    if (delivery === 'browser' || destination === null) continue
    const stop = code === null || message === null ? null : { code, message }
    const isRetrying = last_state === 'waiting' && waiting_id !== null
    const wasSent = last_sent_at !== null && Date.parse(last_sent_at) > now - HOUR_MS
    outcomes.set(id, {
      delivery,
      stop: stop ?? missingToken(pixel),
      accepted: 0,
      unconfirmed: 0,
      refused: 0,
      isRetrying,
      isFailing: isRetrying && !wasSent,
      unconfirmedText: unconfirmedTexts(destination).health,
    })
  }
  for (const { subject, key, count } of counts) {
    const found = outcomes.get(subject)
    const { state } = readDeliveryResult(key)
    if (found !== undefined && (state === 'accepted' || state === 'unconfirmed' || state === 'refused'))
      found[state] += count
  }
  return outcomes
}

/** Why nothing is sent for a pixel that the server should send for; null if it has its token. */
export function missingToken(pixel: { delivery: PixelDelivery; has_access_token: boolean }): Stop | null {
  return pixel.delivery === 'browser' || pixel.has_access_token
    ? null
    : { code: 'token_missing', message: TOKEN_MISSING }
}

interface WaitingDeliveries {
  kind: string
  waiting: number
  /** When the oldest waiting job was stored. */
  oldestAt: string | null
}

/** Waiting jobs by kind, and since when. Read pixel by pixel, because the index of the queue is by pixel. */
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
    // Includes account mail jobs, which become an email within a second.
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

/** The email to administrators when a pixel's sending stops. `expiresAt` is the first expiry in its queue. */
export function describeStop(
  pixel: { id: string; name: string },
  { message }: Stop,
  expiresAt: string | null,
) {
  return {
    kind: 'deliveries-stopped',
    subject: `O pixel "${pixel.name}" parou de enviar conversões`,
    paragraphs: [
      `O servidor parou de enviar as conversões do pixel "${pixel.name}".`,
      message,
      expiresAt === null
        ? 'Nenhuma conversão na fila.'
        : `As conversões ficam na fila até o prazo da plataforma. A primeira expira em ${TIME.format(new Date(expiresAt))} (horário de Brasília).`,
      'O envio volta quando você salvar a correção. Enquanto isso, tentamos uma conversão por hora e, quando ela é aceita, enviamos as outras.',
    ],
    path: `/admin/pixels/${pixel.id}`,
    label: 'Ver o pixel',
  }
}

const LOGGED = 20
/** More than all rounds of all processes can add beside each other. */
const MOST_LOGGED = 100_000

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
 * Stores the outcomes of a round: rows that leave the queue are counted in the same transaction, once each. The counts
 * come last, because rounds of one process share their rows. `onStopped` is called if this stopped the pixel.
 */
export async function recordResults(
  trx: Db,
  { pixelId, outcomes, isOurs, stop, now }: Recorded,
  onStopped: () => Promise<void> = async () => {},
): Promise<void> {
  await log(
    trx,
    pixelId,
    outcomes.filter(({ isUntouched }) => !isUntouched),
    now,
  )
  const isAccepted = outcomes.some(({ state }) => state === 'accepted')
  if (await noteStop(trx, { pixelId, stop, isAccepted, now })) await onStopped()
  await countSettled(
    trx,
    outcomes
      .filter((outcome) => outcome.state !== 'waiting' && isOurs(outcome))
      .map(({ job, state, reason }) => ({
        pixel_id: pixelId,
        event: job.event,
        created_at: job.created_at,
        state: state as Exclude<DeliveryState, 'waiting'>,
        reason,
      })),
  )
}

/** Returns true if it was not stopped before. An accepted event ends a stop. */
export async function noteStop(
  trx: Db,
  { pixelId, stop, isAccepted, now }: Pick<Recorded, 'pixelId' | 'stop' | 'now'> & { isAccepted: boolean },
): Promise<boolean> {
  if (stop === null) {
    if (isAccepted) await pipeline(trx, trx.deleteFrom('delivery_stops').where('pixel_id', '=', pixelId))
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

/** Keeps the last twenty attempts of a pixel for the dashboard. */
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
  await pipeline(trx, trx.insertInto('delivery_log').values(rows))
  const older = trx.deleteFrom('delivery_log').where('id', 'in', (eb) =>
    eb
      .selectFrom('delivery_log')
      .select('id')
      .where('pixel_id', '=', pixelId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(MOST_LOGGED)
      .offset(LOGGED)
      // Another process deletes the same rows: nobody waits for it.
      .$if(engineOf(trx) === 'postgres', (query) => query.forUpdate().skipLocked()),
  )
  await pipeline(trx, older)
}

/** Counts events past their window as expired, also those of pixels that are off or stopped. */
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
      .returning(['pixel_id', 'event', 'created_at', 'sent_at'])
      .$narrowType<{ pixel_id: NotNull; event: NotNull }>()
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
  event: SentEvent
  /** When it happened: it counts in that hour. */
  created_at: string
  state: Exclude<DeliveryState, 'waiting'>
  reason: string
}

/** Counts rows in the transaction that deletes them, so that each event is counted exactly once. */
export async function countSettled(trx: Db, settled: readonly Settled[]): Promise<void> {
  await addCounts(
    trx,
    settled.flatMap(({ pixel_id, event, created_at, state, reason }): Count[] => {
      const name = outcomeOf(event)
      const counted = {
        subject: pixel_id,
        at: Date.parse(created_at),
      }
      return [
        { ...counted, series: 'conversion', key: `${state} ${reason}` },
        ...(name === null
          ? []
          : [
              { ...counted, series: 'outcome.delivery' as const, key: `${name} ${state} ${reason}` as const },
            ]),
      ]
    }),
  )
}

/** State and reason of a stored count. */
export function readDeliveryResult(key: SeriesKeys['conversion']): {
  state: Exclude<DeliveryState, 'waiting'>
  reason: string
} {
  const space = key.indexOf(' ')
  return { state: key.slice(0, space) as Exclude<DeliveryState, 'waiting'>, reason: key.slice(space + 1) }
}
