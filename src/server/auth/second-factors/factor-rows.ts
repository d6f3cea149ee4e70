import { randomUUID } from 'node:crypto'
import { aheadRange } from '#server/db/stored-time.ts'
import type { AuthContext } from '../auth-context.ts'
import { authError } from '../protocol/auth-error.ts'
import type { LockedAccount } from '../users/change-account.ts'
import type { FactorRow } from '../users/user-object.ts'
import { factorSecretPlace } from './factor-secret-place.ts'

const MAX_FACTORS = 10
/** An enrolment that was not finished by then is deleted by the next one. */
const UNFINISHED_MS = 10 * 60_000
/** How far ahead of a code's own step the last used one can be: both may drift by a step, and replicas by a minute. */
const STEPS_AHEAD = 4

interface NewFactor {
  name: string
  kind: FactorRow['kind']
  secret: string
}

/** Gives the id of a factor that does not count yet. */
export async function insertFactor(
  { secrets }: AuthContext,
  account: LockedAccount,
  { name, kind, secret }: NewFactor,
): Promise<string> {
  const { trx, user } = account
  const id = randomUUID()
  const at = new Date()
  await makeRoom(account, name, at)
  await trx
    .insertInto('auth_factors')
    .values({
      id,
      user_id: user.id,
      friendly_name: name,
      factor_type: 'totp',
      kind,
      status: 'unverified',
      secret: await secrets.seal(trx, factorSecretPlace(id), secret),
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
    })
    .execute()
  return id
}

async function makeRoom({ trx, user }: LockedAccount, name: string, now: Date): Promise<void> {
  await trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', user.id)
    .where('status', '=', 'unverified')
    .where((eb) =>
      eb.or([
        eb('created_at', '<=', new Date(now.getTime() - UNFINISHED_MS).toISOString()),
        eb('created_at', '>', aheadRange(0, now.getTime()).upTo),
      ]),
    )
    .execute()
  const factors = await trx
    .selectFrom('auth_factors')
    .select('friendly_name')
    .where('user_id', '=', user.id)
    .execute()
  if (factors.length >= MAX_FACTORS)
    throw authError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    )
  if (factors.some((factor) => factor.friendly_name === name))
    throw authError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${name}" for this user already exists`,
    )
}

/** The factor as the transaction finds it. */
export function requireFactor({ factors }: LockedAccount, id: string): FactorRow {
  const factor = factors.find((candidate) => candidate.id === id)
  if (factor === undefined) throw authError(404, 'mfa_factor_not_found', 'Factor not found')
  return factor
}

export async function markChallenged({ trx }: LockedAccount, id: string, at: string): Promise<void> {
  await trx.updateTable('auth_factors').set({ last_challenged_at: at }).where('id', '=', id).execute()
}

/** A code is good once (RFC 6238, 5.2): of two that come with the same one, the second finds its step gone. */
export async function spendStep({ trx }: LockedAccount, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('auth_factors')
    .set({ last_used_step: step, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('last_used_step', 'is', null),
        eb('last_used_step', '<', step),
        // No code of this step could have been shown yet: the clock was set back since.
        eb('last_used_step', '>', step + STEPS_AHEAD),
      ]),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A factor that was shown counts from here on, and other enrolments that were begun are dropped. */
export async function acceptFactor(account: LockedAccount, { id, status }: FactorRow): Promise<void> {
  const { trx, user } = account
  if (status === 'unverified') {
    const updated_at = new Date().toISOString()
    await trx
      .updateTable('auth_factors')
      .set({ status: 'verified', updated_at })
      .where('id', '=', id)
      .execute()
    await account.audit('auth.factor_verified', { after: { factor_id: id } })
  }
  await trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', user.id)
    .where('status', '=', 'unverified')
    .execute()
}

/** Gives the ids that were there. */
export async function deleteFactors(
  { trx, user }: LockedAccount,
  id?: string,
): Promise<Pick<FactorRow, 'id' | 'status'>[]> {
  return trx
    .deleteFrom('auth_factors')
    .where('user_id', '=', user.id)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .returning(['id', 'status'])
    .execute()
}
