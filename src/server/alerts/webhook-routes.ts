import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import {
  ALERT_KINDS,
  type AlertWebhookAnswer,
  type AlertWebhookTest,
  CHAT_FORMATS,
} from '#contract/alerts.ts'
import { CHAT_URL_MAX_LENGTH, chatUrlProblem } from '#contract/chat-url.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { AppError } from '../http/errors.ts'
import { readBody } from '../http/security/administrators.ts'
import { makeDue } from '../outbox/queue.ts'
import { type ChatDeps, describeFailure, noteAttempt, postMessage, URL_PLACE, WEBHOOK_NAME } from './chat.ts'

const inputSchema = z.object({
  url: z.optional(z.string().check(z.maxLength(CHAT_URL_MAX_LENGTH))),
  format: z.enum(CHAT_FORMATS),
  kinds: z.array(z.enum(ALERT_KINDS)),
})

export interface WebhookDeps extends ChatDeps {
  db: Db
  /** Address of the dashboard. */
  adminUrl: string
  wakeOutbox: () => void
  /** Called before the first subscriber is stored: alerts that exist already are not news. */
  learn: () => Promise<void>
}

const noChat = () =>
  new AppError(409, 'webhook_missing', 'Nenhum chat está conectado aos avisos. Recarregue a página.')

/** Routes for the chat that gets alerts. */
export function registerAlertWebhook(scope: FastifyInstance, deps: WebhookDeps): void {
  const { db } = deps
  /** The chat that gets alerts, without its address; null if there is none. */
  scope.get('/admin/api/alerts/webhook', async (): Promise<AlertWebhookAnswer> => {
    return { webhook: await read(db) }
  })

  /** Connects the chat or changes it. Body: `{ url?, format, kinds }`. */
  scope.put('/admin/api/alerts/webhook', async (request): Promise<AlertWebhookAnswer> => {
    const { url: typed, format, kinds } = readBody(inputSchema, request)
    const url = typed?.trim()
    const problem = url === undefined ? null : chatUrlProblem(url)
    if (problem !== null) throw new AppError(400, 'invalid_url', problem)
    await deps.learn()
    await request.change(db, async (trx, actor) => {
      const known = await locked(
        trx,
        trx.selectFrom('alert_webhooks').select(['format', 'kinds', 'url']),
      ).executeTakeFirst()
      if (known === undefined && url === undefined) throw noChat()
      const stored = url === undefined ? (known?.url ?? '') : await deps.secrets.encrypt(trx, URL_PLACE, url)
      const columns = {
        format,
        url: stored,
        kinds: JSON.stringify([...new Set(kinds)]),
        changed_at: new Date().toISOString(),
        // The last answer was that of another address.
        ...(url === undefined ? {} : { tried_at: null, last_error: null }),
      }
      await trx
        .insertInto('alert_webhooks')
        .values({ name: WEBHOOK_NAME, tried_at: null, last_error: null, ...columns })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(columns))
        .execute()
      await recordAudit(trx, {
        ...actor,
        action: known === undefined ? 'alerts.webhook_set' : 'alerts.webhook_changed',
        ...(known === undefined ? {} : { before: { format: known.format, kinds: known.kinds } }),
        after: { format, kinds, new_address: url !== undefined },
      })
    })
    await makeDue(db, { kind: 'chat' }, Date.now())
    deps.wakeOutbox()
    return { webhook: await read(db) }
  })

  /** Disconnects the chat. What waits for it is not sent. */
  scope.delete('/admin/api/alerts/webhook', async (request): Promise<AlertWebhookAnswer> => {
    await request.change(db, async (trx, actor) => {
      const gone = await trx.deleteFrom('alert_webhooks').returning('format').executeTakeFirst()
      if (gone === undefined) return
      await trx.deleteFrom('alert_posts').where('sent_at', 'is', null).execute()
      await recordAudit(trx, { ...actor, action: 'alerts.webhook_removed', before: { format: gone.format } })
    })
    return { webhook: null }
  })

  /** Sends a test message to the chat now, and returns what became of it. */
  scope.post('/admin/api/alerts/webhook/test', async (request): Promise<AlertWebhookTest> => {
    // Recorded first: who may not do this, sends nothing.
    const webhook = await request.change(db, async (trx, actor) => {
      const found = await trx.selectFrom('alert_webhooks').select(['format', 'url']).executeTakeFirst()
      if (found === undefined) throw noChat()
      await recordAudit(trx, { ...actor, action: 'alerts.webhook_tested' })
      return found
    })
    const result = await postMessage(deps, {
      url: await deps.secrets.decrypt(URL_PLACE, webhook.url),
      format: webhook.format,
      message: testMessage(deps),
      id: randomUUID(),
      signal: NEVER,
    })
    const error = result.kind === 'failed' ? result.code : null
    await noteAttempt(db, error, Date.now())
    if (error === null) {
      await makeDue(db, { kind: 'chat' }, Date.now())
      deps.wakeOutbox()
    }
    return { problem: error === null ? null : describeFailure(error) }
  })
}

const NEVER = new AbortController().signal

function testMessage({ brandName, adminUrl }: WebhookDeps) {
  return {
    kind: 'test' as const,
    title: `Teste dos avisos de ${brandName}`,
    lines: ['Se você está lendo esta mensagem, os avisos vão chegar aqui.'],
    action: { label: 'Abrir o painel', url: `${adminUrl}/admin/configuracoes` },
  }
}

async function read(db: Db): Promise<AlertWebhookAnswer['webhook']> {
  const row = await db
    .selectFrom('alert_webhooks')
    .select(['format', 'kinds', 'changed_at', 'tried_at', 'last_error'])
    .executeTakeFirst()
  if (row === undefined) return null
  const { format, kinds, changed_at, tried_at, last_error } = row
  return {
    format,
    kinds,
    changed_at,
    last:
      tried_at === null
        ? null
        : { at: tried_at, problem: last_error === null ? null : describeFailure(last_error) },
  }
}
