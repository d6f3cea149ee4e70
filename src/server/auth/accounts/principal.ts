import { isEmail, normalizeEmail } from '#contract/email.ts'
import { ConfigError } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import { change } from '#server/db/transactions/change.ts'
import { sendNotice } from '../account-mail.ts'
import type { AuthContext } from '../context.ts'
import { FIRST_PASSWORD_SECRET, forgetFirstPassword, readSecret, replaceSecret } from '../keys/app-secrets.ts'
import { generatePassword } from '../passwords/passwords.ts'
import { setRole } from './admin-users.ts'
import { handOverAccount, LockedAccount } from './change-account.ts'
import { signInRefusal } from './rules.ts'
import { findUserByEmail, insertUser, markPassword } from './users.ts'

/** The announcement when the account is created or taken over, repeated until somebody has signed in. */
export function announcePrincipal(email: string, { how, password }: NewPrincipal, adminUrl: string): string {
  const line = '  ────────────────────────────────────────────────────────────'
  const text = {
    created: ['  Administrador principal criado.'],
    'taken over': [
      '  Já havia uma conta com o e-mail do administrador principal.',
      '  Ela virou a conta principal: a senha foi alterada, a verificação em duas etapas',
      '  foi desativada e todas as sessões foram encerradas.',
    ],
    unused: ['  Ninguém entrou ainda com a senha do administrador principal.'],
  }[how]
  return [
    '',
    line,
    ...text,
    ...(password === null
      ? ['  Use a senha definida em PRINCIPAL_ADMIN_PASSWORD.']
      : ['  Guarde esta senha: ela só é mostrada até o primeiro acesso.']),
    '',
    `    Painel  ${adminUrl}/admin`,
    `    Email   ${email}`,
    ...(password === null ? [] : [`    Senha   ${password}`]),
    line,
    '',
    '',
  ].join('\n')
}

const ACTOR = { actor_id: null, actor: 'configuration' }

/** What the operator must be told about the configured account. */
interface NewPrincipal {
  how: 'created' | 'taken over' | 'unused'
  /** Null if the configuration sets it. */
  password: string | null
}

/**
 * Ensures that the configured account exists, is a super admin and can sign in. The address alone proves nothing: an
 * account that was not the principal at the last start is handed over, with a new password and none of its credentials.
 * A generated password is stored encrypted and announced at each start until somebody has signed in with it. Null if
 * there is nothing to announce.
 */
export async function ensurePrincipal(context: AuthContext): Promise<NewPrincipal | null> {
  const { db, config, passwords, secrets } = context
  const { email, password } = config.principal
  if (await isSettled(db, email)) return readUnused(context)
  if (!isEmail(email) && (await findUserByEmail(db, email)) === undefined)
    throw new ConfigError([`PRINCIPAL_ADMIN_EMAIL precisa ser um e-mail válido. Recebido: "${email}".`])
  const given = password ?? generatePassword()
  const passwordHash = await passwords.hash(given)
  const settled = await change(
    db,
    async (trx) => {
      const made = await settle(trx, email, passwordHash, password === null)
      if (made.how !== 'restored' && password === null)
        await replaceSecret(trx, secrets, FIRST_PASSWORD_SECRET, given)
      if (made.how === 'taken over')
        await sendNotice(context, trx, { user: made.user, kind: 'principal', by: 'operator' })
      return made
    },
    { isRetriable: (error) => error instanceof AddressMoved },
  )
  if (settled.how === 'restored') return readUnused(context)
  if (settled.how !== 'taken over' && password !== null) return null
  return { how: settled.how, password: password === null ? given : null }
}

/** The generated password, while nobody has signed in with it and it is still valid. */
async function readUnused({ db, config, passwords, secrets }: AuthContext): Promise<NewPrincipal | null> {
  const password = await readSecret(db, secrets, FIRST_PASSWORD_SECRET)
  if (password === null) return null
  const user = await findUserByEmail(db, config.principal.email)
  if (user === undefined) return null
  if (user.last_sign_in_at === null && (await passwords.verify(user.password_hash, password)))
    return { how: 'unused', password }
  await forgetFirstPassword(db, user.id)
  return null
}

/** A check without a lock or a hash, enough for nearly every start. */
async function isSettled(db: Db, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('site_state as s')
    .innerJoin('auth_users as u', 'u.id', 's.principal_id')
    .innerJoin('admin_roles as r', 'r.user_id', 'u.id')
    .select(['u.banned_until', 'u.deleted_at', 'u.email_confirmed_at'])
    .where('u.email', '=', email)
    .where('r.role', '=', 'super_admin')
    .executeTakeFirst()
  return row !== undefined && signInRefusal(row) === null
}

async function settle(trx: Db, email: string, passwordHash: string, generated: boolean) {
  const state = trx.selectFrom('site_state').select('principal_id').where('id', '=', 1)
  const { principal_id: known } = await locked(trx, state).executeTakeFirstOrThrow()
  const appMetadata = markPassword({}, generated)
  const made = await insertUser(trx, { email, passwordHash, confirmed: true, appMetadata })
  const userId = made?.id ?? (await findUserByEmail(trx, email))?.id
  const account = userId === undefined ? undefined : await LockedAccount.lock(trx, { userId, by: ACTOR })
  // Renamed or removed at this moment: the next attempt finds the address free.
  if (account === undefined || normalizeEmail(account.user.email) !== email) throw new AddressMoved()
  const { user } = account
  const how =
    made !== null ? 'created' : (await wasPrincipal(trx, user.id, known)) ? 'restored' : 'taken over'
  if (how === 'taken over') await handOverAccount(account, passwordHash, { generated })
  else
    await account.update({
      banned_until: null,
      deleted_at: null,
      email_confirmed_at: user.email_confirmed_at ?? new Date().toISOString(),
    })
  await setRole(account, 'super_admin')
  await trx.updateTable('site_state').set({ principal_id: user.id }).where('id', '=', 1).execute()
  if (how !== 'restored')
    await account.audit(how === 'created' ? 'user.created' : 'user.made_principal', {
      after: { email, role: 'super_admin' },
    })
  return { how, user } as const
}

class AddressMoved extends Error {
  override readonly message = 'the principal admin could not be made'
}

/** In older databases only the audit trail tells which account the configuration made. */
async function wasPrincipal(trx: Db, id: string, known: string | null): Promise<boolean> {
  if (known !== null) return known === id
  const made = await trx
    .selectFrom('audit_events')
    .select('id')
    .where('subject', '=', id)
    .where('action', '=', 'user.created')
    .where('actor', '=', ACTOR.actor)
    .where('actor_id', 'is', null)
    .executeTakeFirst()
  return made !== undefined
}
