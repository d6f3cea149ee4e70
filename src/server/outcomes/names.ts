import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { AppError } from '../http/errors.ts'
import { OUTCOMES } from '../http/limits/limits.ts'
import type { Actor } from '../http/security/administrators.ts'

export interface DeclaredName {
  name: string
  label: string
}

/** Oldest first. */
export function listNames(db: Db): Promise<DeclaredName[]> {
  return db
    .selectFrom('outcome_names')
    .select(['name', 'label'])
    .orderBy('created_at')
    .orderBy('name')
    .execute()
}

/** From the next call on, outcomes of this name are accepted. */
export async function declareName(
  trx: Db,
  actor: Actor,
  { name, label }: DeclaredName,
  now = new Date(),
): Promise<DeclaredName> {
  // Two administrators at once: the second counts the name of the first.
  await locked(trx, trx.selectFrom('site_state').select('id')).execute()
  const names = await listNames(trx)
  if (names.some((other) => other.name === name))
    throw new AppError(409, 'name_taken', `O resultado "${name}" já existe.`)
  if (names.length >= OUTCOMES.names)
    throw new AppError(409, 'too_many_names', `O limite é de ${OUTCOMES.names} resultados.`)
  await trx.insertInto('outcome_names').values({ name, label, created_at: now.toISOString() }).execute()
  await recordAudit(trx, {
    ...actor,
    action: 'outcomes.name_declared',
    subject: name,
    after: { name, label },
  })
  return { name, label }
}

/** Changes what people read. Programs go on sending the same name. */
export async function relabelName(
  trx: Db,
  actor: Actor,
  { name, label }: DeclaredName,
): Promise<DeclaredName> {
  const found = await locked(
    trx,
    trx.selectFrom('outcome_names').select('label').where('name', '=', name),
  ).executeTakeFirst()
  if (found === undefined)
    throw new AppError(404, 'not_found', 'Este resultado não existe. Recarregue a página.')
  if (found.label === label) return { name, label }
  await trx.updateTable('outcome_names').set({ label }).where('name', '=', name).execute()
  await recordAudit(trx, {
    ...actor,
    action: 'outcomes.name_relabelled',
    subject: name,
    before: { name, label: found.label },
    after: { name, label },
  })
  return { name, label }
}
