import { recordAudit } from '#server/db/audit.ts'
import { change } from '#server/db/change.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/app-error.ts'

/** "Encerrar": one browser with all its tabs, or one program's session. */
export async function endOwnLogin(db: Db, user: { id: string; email: string }, id: string): Promise<void> {
  await change(db, async (trx) => {
    const login = await trx
      .deleteFrom('auth_logins')
      .where('id', '=', id)
      .where('user_id', '=', user.id)
      .executeTakeFirst()
    const session = await trx
      .deleteFrom('auth_sessions')
      .where('id', '=', id)
      .where('user_id', '=', user.id)
      .where('login_id', 'is', null)
      .executeTakeFirst()
    if (login.numDeletedRows === 0n && session.numDeletedRows === 0n)
      throw new AppError(404, 'not_found', 'Esta sessão já foi encerrada.')
    await recordAudit(trx, { actor_id: user.id, actor: user.email, action: 'auth.login_ended', subject: id })
  })
}
