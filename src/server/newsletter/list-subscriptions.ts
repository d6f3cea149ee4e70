import * as z from 'zod/mini'
import { SUBSCRIPTION_STATES, type SubscriptionPage, type SubscriptionState } from '#contract/newsletter.ts'
import { containsText } from '../db/contains-text.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import { readPageCursor, toPageCursor } from '../http/page-cursor.ts'

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
