import * as z from 'zod/mini'
import { SUBSCRIPTION_STATES, type SubscriptionPage, type SubscriptionState } from '#contract/newsletter.ts'
import type { Db } from '../db/database.ts'
import { containsText } from '../db/dialect.ts'
import { AppError } from '../http/errors.ts'
import { readPageCursor, toCsvLine, toPageCursor } from '../http/requests.ts'

const PAGE = 50

const querySchema = z.object({
  search: z.optional(z.string().check(z.maxLength(254))),
  status: z.optional(z.enum(SUBSCRIPTION_STATES)),
  before: z.optional(z.string()),
})

/** Subscriptions, the newest first. A search is a part of the address: it goes on until a page is full. */
export async function listSubscriptions(db: Db, query: unknown): Promise<Omit<SubscriptionPage, 'delivers'>> {
  const parsed = querySchema.safeParse(query)
  if (!parsed.success) throw new AppError(400, 'bad_request', 'Pedido inválido.')
  const { search = '', status, before } = parsed.data
  const cursor = readPageCursor(before)
  const wanted = search.trim()
  const rows = await db
    .selectFrom('newsletter_subscriptions as person')
    .leftJoin('deliveries as queued', 'queued.subscription_id', 'person.id')
    .select([
      'person.id',
      'person.email',
      'person.status',
      'person.attempts',
      'person.last_error',
      'person.created_at',
      'person.delivered_at',
    ])
    .select((eb) => eb.fn.coalesce('queued.next_attempt_at', 'person.next_attempt_at').as('next_attempt_at'))
    .where('person.created_at', '<=', cursor.at)
    .where((eb) => eb.or([eb('person.created_at', '<', cursor.at), eb('person.id', '<', cursor.id)]))
    .$if(status !== undefined, (rest) => rest.where('person.status', '=', status as SubscriptionState))
    .$if(wanted !== '', (rest) => rest.where((eb) => containsText(db, eb.ref('person.email'), wanted)))
    .orderBy('person.created_at', 'desc')
    .orderBy('person.id', 'desc')
    .limit(PAGE + 1)
    .execute()
  const last = rows[PAGE - 1]
  return {
    subscriptions: rows.slice(0, PAGE),
    next: rows.length > PAGE && last ? toPageCursor(last) : null,
    ...(before === undefined ? { counts: await countByState(db) } : {}),
  }
}

async function countByState(db: Db): Promise<Record<SubscriptionState, number>> {
  const counts = await Promise.all(
    SUBSCRIPTION_STATES.map(async (status) => {
      const { count } = await db
        .selectFrom('newsletter_subscriptions')
        .select((eb) => eb.fn.countAll<number | string>().as('count'))
        .where('status', '=', status)
        .executeTakeFirstOrThrow()
      return [status, Number(count)] as const
    }),
  )
  return Object.fromEntries(counts) as Record<SubscriptionState, number>
}

const PAGE_SIZE = 1_000

const HEADINGS = ['email', 'situacao', 'inscrito_em', 'entregue_em', 'tentativas', 'ultimo_erro']

const STATUS_NAMES = { pending: 'aguardando', delivered: 'entregue', failed: 'falhou' } as const

/** CSV as RFC 4180 has it, every cell in quotation marks, a page of rows at a time. */
export async function* exportSubscriptions(db: Db): AsyncGenerator<string> {
  yield toCsvLine(HEADINGS)
  let after = ''
  while (true) {
    const rows = await db
      .selectFrom('newsletter_subscriptions')
      .select(['email', 'status', 'created_at', 'delivered_at', 'attempts', 'last_error'])
      .where('email', '>', after)
      .orderBy('email')
      .limit(PAGE_SIZE)
      .execute()
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.email
    yield rows
      .map((row) =>
        toCsvLine([
          row.email,
          STATUS_NAMES[row.status],
          row.created_at,
          row.delivered_at ?? '',
          String(row.attempts),
          row.last_error ?? '',
        ]),
      )
      .join('')
  }
}

interface Counted {
  /** In the order of the spans. */
  counts: number[]
  /** When the oldest one that is still stored was made. */
  first: string | null
}

/** How many subscriptions, of those that are still stored, were made in each of these times. */
export async function countSubscriptions(
  db: Db,
  spans: readonly (readonly [from: number, to: number])[],
): Promise<Counted> {
  const at = (time: number) => new Date(time).toISOString()
  const [first, ...counts] = await Promise.all([
    db
      .selectFrom('newsletter_subscriptions')
      .select((eb) => eb.fn.min<string | null>('created_at').as('at'))
      .executeTakeFirstOrThrow(),
    ...spans.map(([from, to]) =>
      db
        .selectFrom('newsletter_subscriptions')
        .select((eb) => eb.fn.countAll<number | string>().as('count'))
        .where('created_at', '>=', at(from))
        .where('created_at', '<', at(to))
        .executeTakeFirstOrThrow(),
    ),
  ])
  return { counts: counts.map(({ count }) => Number(count)), first: first.at }
}

interface QueueSize {
  pending: number
  failed: number
  /** When the one that has waited longest was stored. */
  oldestPendingAt: string | null
}

/** How much waits and since when; of those that were delivered nothing is read. */
export async function measureQueue(db: Db): Promise<QueueSize> {
  const of = (status: 'pending' | 'failed') =>
    db
      .selectFrom('newsletter_subscriptions')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
      .where('status', '=', status)
      .executeTakeFirstOrThrow()
  const [pending, failed] = [await of('pending'), await of('failed')]
  return {
    pending: Number(pending.count),
    failed: Number(failed.count),
    oldestPendingAt: pending.oldest,
  }
}

interface QueueSummary {
  pending: number
  delivered: number
  failed: number
  /** When the one that has waited longest was stored. */
  oldestPendingAt: string | null
  nextAttemptAt: string | null
  /** Why the last attempt of those that still wait or failed did not succeed, most frequent first. */
  errors: { reason: string; count: number }[]
}

/** How the queue stands, without naming anybody. */
export async function summarizeQueue(db: Db): Promise<QueueSummary> {
  const rows = await db
    .selectFrom('newsletter_subscriptions')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
    .groupBy('status')
    .execute()
  const errors = await db
    .selectFrom('newsletter_subscriptions')
    .select((eb) => ['last_error as reason', eb.fn.countAll<number>().as('count')])
    .where('last_error', 'is not', null)
    .where('status', '!=', 'delivered')
    .groupBy('last_error')
    .orderBy('count', 'desc')
    .limit(5)
    .execute()
  const next = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('pixel_id', 'is', null)
    .where('kind', '=', 'newsletter')
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  const of = (status: string) => rows.find((row) => row.status === status)
  return {
    pending: of('pending')?.count ?? 0,
    delivered: of('delivered')?.count ?? 0,
    failed: of('failed')?.count ?? 0,
    oldestPendingAt: of('pending')?.oldest ?? null,
    nextAttemptAt: next?.next_attempt_at ?? null,
    errors: errors.map(({ reason, count }) => ({ reason: reason ?? '', count })),
  }
}
