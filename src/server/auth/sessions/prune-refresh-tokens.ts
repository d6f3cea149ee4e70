import type { Db } from '#server/db/database.ts'

/** Nobody's own clients hold so many at once; whoever makes more loses the oldest. */
const MAX_KEPT = 1_000

/**
 * Forgets the tokens of a session whose worth is settled: they were retired, or they were exchanged, that is past being
 * forgiven (`forgivenSince`), and what they were exchanged for is in use. Whoever comes with one of them is told the
 * same as if its row were still there.
 */
export async function pruneRefreshTokens(trx: Db, sessionId: string, forgivenSince: string): Promise<void> {
  await trx
    .deleteFrom('auth_refresh_tokens')
    .where('session_id', '=', sessionId)
    .where((eb) =>
      eb.or([
        eb('retired_at', 'is not', null),
        eb.and([
          eb('used_at', '<=', forgivenSince),
          eb.exists(
            eb
              .selectFrom('auth_refresh_tokens as child')
              .select('child.id')
              .whereRef('child.parent_id', '=', 'auth_refresh_tokens.id')
              .where('child.used_at', 'is not', null),
          ),
        ]),
      ]),
    )
    .execute()
  const beyond = await trx
    .selectFrom('auth_refresh_tokens')
    .select('created_at')
    .where('session_id', '=', sessionId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .offset(MAX_KEPT)
    .executeTakeFirst()
  if (beyond === undefined) return
  await trx
    .deleteFrom('auth_refresh_tokens')
    .where('session_id', '=', sessionId)
    .where('created_at', '<=', beyond.created_at)
    .execute()
}
