import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/database.ts'
import { makeRefreshToken } from './refresh-token.ts'

/** The next token of a session, as if the one in use had been exchanged: a lost answer is forgiven in the same way. */
export async function renewRefreshToken(trx: Db, sessionId: string, now: Date): Promise<string> {
  const at = now.toISOString()
  const current = await trx
    .selectFrom('auth_refresh_tokens')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('used_at', 'is', null)
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  await trx
    .updateTable('auth_refresh_tokens')
    .set({ used_at: at })
    .where('session_id', '=', sessionId)
    .where('used_at', 'is', null)
    .where('retired_at', 'is', null)
    .execute()
  const { token, hash } = makeRefreshToken(sessionId)
  await trx
    .insertInto('auth_refresh_tokens')
    .values({
      id: randomUUID(),
      session_id: sessionId,
      token_hash: hash,
      parent_id: current?.id ?? null,
      created_at: at,
    })
    .execute()
  return token
}
