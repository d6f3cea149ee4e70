import { randomUUID } from 'node:crypto'
import { MINUTE_MS } from '#contract/durations.ts'
import {
  type CreatedOutcomeKey,
  OUTCOME_KEY_PREFIX,
  type OutcomeKey,
  type OutcomeMode,
} from '#contract/outcomes.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { AppError } from '../http/errors.ts'
import { OUTCOMES } from '../http/limits/limits.ts'
import type { Actor } from '../http/security/administrators.ts'
import { hashOpaqueToken, makeOpaqueToken } from '../secrets/tokens.ts'

const HINT_LENGTH = 4
const PUBLIC_COLUMNS = ['id', 'name', 'mode', 'hint', 'created_at', 'created_by', 'last_used_at'] as const
const BEARER = /^Bearer (prt_(?:live|test)_[\w-]{43})$/i

/**
 * The key of a call, or null. It is read from the database each time, so that a revoked key is refused at once. Its use
 * is noted once a minute.
 */
export async function findKey(
  db: Db,
  authorization: string | undefined,
  now = Date.now(),
): Promise<{ id: string; mode: OutcomeMode } | null> {
  const key = BEARER.exec(authorization ?? '')?.[1]
  if (key === undefined) return null
  const found = await db
    .selectFrom('outcome_keys')
    .select(['id', 'mode', 'last_used_at'])
    .where('key_hash', '=', hashOpaqueToken(key))
    .executeTakeFirst()
  if (found === undefined) return null
  const { id, mode, last_used_at } = found
  if (last_used_at === null || Math.abs(now - Date.parse(last_used_at)) >= MINUTE_MS)
    await db
      .updateTable('outcome_keys')
      .set({ last_used_at: new Date(now).toISOString() })
      .where('id', '=', id)
      .execute()
  return { id, mode }
}

export function listKeys(db: Db): Promise<OutcomeKey[]> {
  return db
    .selectFrom('outcome_keys')
    .select(PUBLIC_COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

/** The key itself is in the answer only: its hash is stored. */
export async function makeKey(
  trx: Db,
  actor: Actor,
  { name, mode }: { name: string; mode: OutcomeMode },
  now = new Date(),
): Promise<CreatedOutcomeKey> {
  await lockKeys(trx)
  const others = await listKeys(trx)
  if (others.length >= OUTCOMES.keys)
    throw new AppError(
      409,
      'too_many_keys',
      `O limite é de ${OUTCOMES.keys} chaves. Revogue uma que não é mais usada.`,
    )
  if (others.some((other) => other.name === name))
    throw new AppError(409, 'name_taken', 'Já existe uma chave com este nome.')
  const key = `${OUTCOME_KEY_PREFIX[mode]}${makeOpaqueToken().token}`
  const row = {
    id: randomUUID(),
    name,
    mode,
    hint: key.slice(-HINT_LENGTH),
    created_at: now.toISOString(),
    created_by: actor.actor,
    last_used_at: null,
  }
  await trx
    .insertInto('outcome_keys')
    .values({ ...row, key_hash: hashOpaqueToken(key) })
    .execute()
  await recordAudit(trx, { ...actor, action: 'outcomes.key_made', subject: row.id, after: { name, mode } })
  return { ...row, key }
}

/** The next call with it gets 401. */
export async function revokeKey(trx: Db, actor: Actor, id: string): Promise<void> {
  const revoked = await trx
    .deleteFrom('outcome_keys')
    .where('id', '=', id)
    .returning(['name', 'mode'])
    .executeTakeFirst()
  if (revoked === undefined)
    throw new AppError(404, 'not_found', 'Esta chave já foi revogada. Recarregue a página.')
  await recordAudit(trx, { ...actor, action: 'outcomes.key_revoked', subject: id, before: revoked })
}

/** Two administrators at once: the second counts the key of the first. */
async function lockKeys(trx: Db): Promise<void> {
  await locked(trx, trx.selectFrom('site_state').select('id')).execute()
}
