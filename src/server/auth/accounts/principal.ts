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
import { findUserByEmail, insertUser } from './users.ts'

/** What the operator sees when the account is made or taken over, and again until somebody has signed in. */
export function announcePrincipal(email: string, { how, password }: NewPrincipal, adminUrl: string): string {
  const line = '  ────────────────────────────────────────────────────────────'
  const text = {
    created: ['  Administrador principal criado.'],
    'taken over': [
      '  Já havia uma conta com o e-mail do administrador principal.',
      '  Agora ela é sua: a senha foi trocada, a verificação em duas etapas',
      '  desligada e todas as suas sessões encerradas.',
    ],
    unused: ['  Ninguém entrou ainda com a senha do administrador principal.'],
  }[how]
  return [
    '',
    line,
    ...text,
    ...(password === null
      ? ['  A senha é a de PRINCIPAL_ADMIN_PASSWORD.']
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

/** What the operator has to be told of the account that the configuration names. */
interface NewPrincipal {
  how: 'created' | 'taken over' | 'unused'
  /** Null when the configuration gave it. */
  password: string | null
}

/**
 * The account that the configuration names exists, is a super admin and can sign in. An address proves nothing about who
 * holds an account: one that was not the principal at the last start is handed over to the operator, with a new password
 * and nothing of what its holder had. A password that was made here is kept sealed and told at each start until somebody
 * has signed in with it. Null when there is nothing to tell.
 */
export async function ensurePrincipal(context: AuthContext): Promise<NewPrincipal | null> {
  const { db, config, passwords, secrets } = context
  const { email, password } = config.principal
  if (await isSettled(db, email)) return readUnused(context)
  if (!isEmail(email) && (await findUserByEmail(db, email)) === undefined)
    throw new ConfigError([`PRINCIPAL_ADMIN_EMAIL deve ser um e-mail, e não "${email}"`])
  const given = password ?? generatePassword()
  const passwordHash = await passwords.hash(given)
  const settled = await change(
    db,
    async (trx) => {
      const made = await settle(trx, email, passwordHash)
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

/** The password that was made at an earlier start, while nobody has signed in with it and it is still the account's. */
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

/** Asked without a lock and without the cost of a hash: the answer of nearly every start. */
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

async function settle(trx: Db, email: string, passwordHash: string) {
  const state = trx.selectFrom('site_state').select('principal_id').where('id', '=', 1)
  const { principal_id: known } = await locked(trx, state).executeTakeFirstOrThrow()
  const made = await insertUser(trx, { email, passwordHash, confirmed: true })
  const userId = made?.id ?? (await findUserByEmail(trx, email))?.id
  const account = userId === undefined ? undefined : await LockedAccount.lock(trx, { userId, by: ACTOR })
  // Renamed or removed in this very moment: the address is free at the next try.
  if (account === undefined || normalizeEmail(account.user.email) !== email) throw new AddressMoved()
  const { user } = account
  const how =
    made !== null ? 'created' : (await wasPrincipal(trx, user.id, known)) ? 'restored' : 'taken over'
  if (how === 'taken over') await handOverAccount(account, passwordHash)
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

/** Before this was remembered, the trail alone tells whom the configuration had made. */
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
