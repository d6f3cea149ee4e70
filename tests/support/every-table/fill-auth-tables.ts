import { randomUUID } from 'node:crypto'
import type { Db } from '#server/db/database.ts'

/** Rows of one existing person with a second factor; returns the person's id. */
export async function fillAuthTables(db: Db, at: string): Promise<string> {
  const user = await db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()
  const factor = await db.selectFrom('auth_factors').select('id').executeTakeFirstOrThrow()
  const [login, session] = [randomUUID(), randomUUID()]
  const amr = JSON.stringify([{ method: 'password', timestamp: 1 }])
  const person = {
    user_id: user.id,
    aal: 'aal2',
    amr,
    user_agent: 'Um "navegador" \\ Ação 🎉',
    network: null,
  } as const
  await db
    .insertInto('admin_roles')
    .values({ user_id: user.id, role: 'admin', created_at: at, updated_at: at })
    .execute()
  await db
    .insertInto('auth_logins')
    .values({ id: login, ...person, token_hash: 'a', created_at: at, last_used_at: at, expires_at: at })
    .execute()
  await db
    .insertInto('auth_sessions')
    .values({ id: session, login_id: login, ...person, created_at: at, last_used_at: at })
    .execute()
  await db
    .insertInto('auth_refresh_tokens')
    .values({
      id: randomUUID(),
      session_id: session,
      token_hash: 'b',
      parent_id: null,
      used_at: at,
      retired_at: null,
      created_at: at,
    })
    .execute()
  await db
    .insertInto('auth_challenges')
    .values({ id: randomUUID(), factor_id: factor.id, created_at: at, expires_at: at, verified_at: null })
    .execute()
  await db
    .insertInto('auth_passkeys')
    .values({
      id: randomUUID(),
      user_id: user.id,
      factor_id: factor.id,
      credential_id: 'k',
      public_key: 'p',
      sign_count: 3,
      transports: JSON.stringify(['internal', 'hybrid']),
      friendly_name: 'Celular',
      created_at: at,
      updated_at: at,
      last_used_at: null,
    })
    .execute()
  await db.insertInto('auth_spent_challenges').values({ id: randomUUID(), expires_at: at }).execute()
  await db
    .insertInto('auth_recovery_codes')
    .values({ id: randomUUID(), user_id: user.id, code_hash: 'c', used_at: null, created_at: at })
    .execute()
  const token = randomUUID()
  await db
    .insertInto('auth_one_time_tokens')
    .values({
      id: token,
      user_id: user.id,
      kind: 'recovery',
      token_hash: 'd',
      code_hash: null,
      sent_to: '',
      created_at: at,
      expires_at: at,
      used_at: null,
      code_challenge: 'h',
      redirect_to: 'https://app.exemplo.com.br/entrar',
    })
    .execute()
  await db
    .insertInto('auth_link_codes')
    .values({ id: randomUUID(), token_id: token, code_hash: 'l', created_at: at, expires_at: at })
    .execute()
  await db
    .insertInto('auth_api_keys')
    .values({ id: randomUUID(), name: 'loja', created_at: at, expires_at: null, revoked_at: at })
    .execute()
  return user.id
}
