import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { ALERT_KINDS, type AlertChoice } from '#contract/alerts.ts'
import type { Db } from '../db/database.ts'
import { type AdminAccess, readBody, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import { AppError } from '../http/app-error.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import { AlertWatch, type WatchDeps } from './alert-watch.ts'
import { readRecipients } from './note-alerts.ts'
import { sweepAlerts } from './sweep-alerts.ts'

type AlertsDeps = WatchDeps & AdminAccess

const choiceSchema = z.object({ kinds: z.array(z.enum(ALERT_KINDS)) })

/** What each administrator wants to be told by mail, and the watch that tells them. */
export async function registerAlerts(app: FastifyInstance, deps: AlertsDeps): Promise<void> {
  const { db, canSend } = deps
  const watch = new AlertWatch(deps)
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })

    scope.get('/admin/api/alerts', async (request): Promise<AlertChoice> => {
      const userId = await requirePerson(deps, request)
      const row = await db
        .selectFrom('alert_choices')
        .select('kinds')
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return { kinds: row?.kinds ?? [], can_send: canSend }
    })

    scope.put('/admin/api/alerts', async (request): Promise<AlertChoice> => {
      const userId = await requirePerson(deps, request)
      const kinds = [...new Set(readBody(choiceSchema, request).kinds)]
      if ((await readRecipients(db, Date.now())).length === 0) await watch.learn()
      await storeChoice(db, userId, kinds)
      return { kinds, can_send: canSend }
    })
  })
  sweepRegularly(app, 'old alerts', (signal) => sweepAlerts(db, signal))
  app.addHook('onListen', async () => watch.start())
  app.addHook('onClose', () => watch.stop())
}

/** A key has no mailbox. */
async function requirePerson(deps: AlertsDeps, request: FastifyRequest): Promise<string> {
  const caller = await requireAdministrator(deps, request)
  if (caller.kind !== 'user') throw new AppError(403, 'forbidden', 'Avisos são de pessoas.')
  return caller.userId
}

async function storeChoice(db: Db, userId: string, kinds: readonly string[]): Promise<void> {
  const columns = { kinds: JSON.stringify(kinds), changed_at: new Date().toISOString() }
  await db
    .insertInto('alert_choices')
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}
