import { isEmail } from '#contract/email-pattern.ts'
import { ConfigError } from '../config.ts'
import { recordAudit } from '../db/audit.ts'
import type { AuthContext } from './auth-context.ts'
import { inTransaction } from './in-transaction.ts'
import { generatePassword } from './passwords/generate-password.ts'
import { findUserByEmail } from './users/find-user.ts'
import { insertUser } from './users/insert-user.ts'

const ACTOR = { actor_id: null, actor: 'configuration' }

/**
 * The account that the configuration names exists, is a super admin and can sign in. Returns the password when one was
 * made for it: the only time that anyone sees it. Replicas that start together make one account, and one of them tells.
 */
export async function ensurePrincipal(context: AuthContext): Promise<string | null> {
  const { db, config, passwords } = context
  const { email, password } = config.principal
  const known = await findUserByEmail(db, email)
  if (known === undefined && !isEmail(email))
    throw new ConfigError([`PRINCIPAL_ADMIN_EMAIL deve ser um e-mail, e não "${email}"`])
  const given = known === undefined ? (password ?? generatePassword()) : null
  const passwordHash = given === null ? null : await passwords.hash(given)
  const created = await inTransaction(db, async (trx) => {
    const user = given === null ? null : await insertUser(trx, { email, passwordHash, confirmed: true })
    const principal = user ?? (await findUserByEmail(trx, email))
    if (principal === undefined) throw new Error('the principal admin could not be made')
    const at = new Date().toISOString()
    if (user !== null) {
      await recordAudit(trx, {
        ...ACTOR,
        action: 'user.created',
        subject: user.id,
        after: { email, role: 'super_admin' },
      })
    } else {
      await trx
        .updateTable('auth_users')
        .set({ banned_until: null, deleted_at: null, email_confirmed_at: principal.email_confirmed_at ?? at })
        .where('id', '=', principal.id)
        .execute()
    }
    await trx
      .insertInto('admin_roles')
      .values({ user_id: principal.id, role: 'super_admin', created_at: at, updated_at: at })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role: 'super_admin' }))
      .execute()
    return user !== null
  })
  return created && password === null ? given : null
}

/** What the operator sees once, on the first start. */
export function announcePrincipal(email: string, password: string, adminUrl: string): string {
  return [
    '',
    '  ────────────────────────────────────────────────────────────',
    '  Administrador principal criado. Guarde esta senha agora:',
    '  ela não será mostrada de novo.',
    '',
    `    Painel  ${adminUrl}/admin`,
    `    Email   ${email}`,
    `    Senha   ${password}`,
    '  ────────────────────────────────────────────────────────────',
    '',
    '',
  ].join('\n')
}
