import type { Db } from '../db/database.ts'

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
