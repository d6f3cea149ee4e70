import * as z from 'zod/mini'
import { normalizeEmail } from '#contract/email.ts'
import { SUBSCRIPTION_STATES, type SubscriptionPage, type SubscriptionState } from '#contract/newsletter.ts'
import type { Db } from '../db/database.ts'
import { containsText } from '../db/dialect.ts'
import { AppError } from '../http/errors.ts'
import { readPageCursor, toCsvLine, toPageCursor } from '../http/requests.ts'
import { findNextAttempt } from '../outbox/queue.ts'

const PAGE = 50

const querySchema = z.object({
  search: z.optional(z.string().check(z.maxLength(254))),
  status: z.optional(z.enum(SUBSCRIPTION_STATES)),
  before: z.optional(z.string()),
})

/** Subscriptions, newest first. A search matches part of the address and continues until a page is full. */
export async function listSubscriptions(db: Db, query: unknown): Promise<Omit<SubscriptionPage, 'delivers'>> {
  const parsed = querySchema.safeParse(query)
  if (!parsed.success)
    throw new AppError(
      400,
      'bad_request',
      'Não foi possível aplicar esses filtros. Recarregue a página e tente novamente.',
    )
  const { search = '', status, before } = parsed.data
  const cursor = readPageCursor(before)
  const wanted = normalizeEmail(search)
  // A search reads one index, and then the rows that it found.
  const found = db
    .selectFrom('newsletter_subscriptions')
    .select('id')
    .where('created_at', '<=', cursor.at)
    .where((eb) => eb.or([eb('created_at', '<', cursor.at), eb('id', '<', cursor.id)]))
    .$if(status !== undefined, (rest) => rest.where('status', '=', status as SubscriptionState))
    .$if(wanted !== '', (rest) => rest.where((eb) => containsText(db, eb.ref('email'), wanted)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(PAGE + 1)
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
    .where('person.id', 'in', found)
    .execute()
  rows.sort((a, b) => (toPageCursor(a) < toPageCursor(b) ? 1 : -1))
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

/** CSV (RFC 4180) with every cell quoted, one page of rows at a time. */
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
  /** When the oldest stored one was made. */
  first: string | null
}

/** Number of stored subscriptions made in each of these times. */
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
  /** When the oldest waiting one was stored. */
  oldestPendingAt: string | null
}

/** How many wait and since when; delivered ones are not read. */
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
  /** When the oldest waiting one was stored. */
  oldestPendingAt: string | null
  nextAttemptAt: string | null
  /** Reasons of the last failed attempts, most frequent first. */
  errors: { reason: string; count: number }[]
}

/** State of the queue, without addresses. */
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
  const of = (status: string) => rows.find((row) => row.status === status)
  return {
    pending: of('pending')?.count ?? 0,
    delivered: of('delivered')?.count ?? 0,
    failed: of('failed')?.count ?? 0,
    oldestPendingAt: of('pending')?.oldest ?? null,
    nextAttemptAt: await findNextAttempt(db, { kind: 'newsletter' }),
    errors: errors.map(({ reason, count }) => ({ reason: reason ?? '', count })),
  }
}
