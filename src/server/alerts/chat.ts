import type { ChatFormat } from '#contract/alerts.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#contract/durations.ts'
import type { Db } from '../db/database.ts'
import type { Logger } from '../http/logging/logger.ts'
import { type Answer, NOT_PUBLIC, type OutgoingClient, readRetryAfter } from '../http/outgoing.ts'
import { backOffBy, type Channel, type Outcome, settled, untouched } from '../outbox/channel.ts'
import { decryptContent, enqueueEncrypted } from '../outbox/enqueue.ts'
import type { Claim } from '../outbox/queue.ts'
import { singleLaneChannel } from '../outbox/single-lane.ts'
import type { Secrets } from '../secrets/secrets.ts'

/** A message, before it gets the form of a chat. */
export interface ChatMessage {
  kind: 'alert' | 'test'
  title: string
  lines: readonly string[]
  action: { label: string; url: string }
}

/** Chats limit messages to about one a second. */
const CONCURRENCY = 1

const BACK_OFF = backOffBy([SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS])

/** As long as the same alert by email. */
const USEFUL_MS = 24 * HOUR_MS

/** The one row of `alert_webhooks`. */
export const WEBHOOK_NAME = 'alerts'
export const URL_PLACE = { table: 'alert_webhooks', column: 'url', row: WEBHOOK_NAME }

export interface ChatDeps {
  secrets: Secrets
  client: OutgoingClient
  brandName: string
}

interface ChatChannelDeps extends ChatDeps {
  log: Pick<Logger, 'warn'>
  /** Called with the result of each attempt. */
  onSettled?: (state: Outcome['state']) => void
}

/** Posts alerts to the chat until it accepts or refuses them, or they expire. A removed chat gets nothing. */
export function chatChannel(deps: ChatChannelDeps): Channel {
  return singleLaneChannel<Claim>({
    kind: 'chat',
    limit: CONCURRENCY,
    rounds: 1,
    backOff: BACK_OFF,
    attempt: async (claims, { db, now, signal }) => {
      const outcomes: Outcome[] = []
      for (const claim of claims) outcomes.push(await attempt(deps, db, { claim, now: now(), signal }))
      return outcomes
    },
    record: async (trx, outcomes, _isOurs, now) => {
      const answered = outcomes.findLast(({ state, isUntouched }) => !isUntouched && state !== 'withheld')
      if (answered !== undefined && answered.state !== 'expired')
        await noteAttempt(trx, answered.answer === '' ? null : answered.answer, now)
    },
    onSettled: (outcomes) => {
      for (const { state, isUntouched } of outcomes) if (!isUntouched) deps.onSettled?.(state)
    },
  })
}

/** Stores a message in the transaction of its cause. The address is read when it is sent. */
export function storeChatMessage(
  trx: Db,
  secrets: Secrets,
  message: ChatMessage,
  now: number,
): Promise<void> {
  return enqueueEncrypted(trx, secrets, { kind: 'chat', content: message, expiresAt: now + USEFUL_MS }, now)
}

/** What the chat answered last, for "Configurações". */
export async function noteAttempt(trx: Db, error: string | null, now: number): Promise<void> {
  await trx
    .updateTable('alert_webhooks')
    .set({ tried_at: new Date(now).toISOString(), last_error: error })
    .execute()
}

async function attempt(
  deps: ChatChannelDeps,
  db: Db,
  { claim, now, signal }: { claim: Claim; now: number; signal: AbortSignal },
): Promise<Outcome> {
  if (claim.expires_at !== null && Date.parse(claim.expires_at) <= now)
    return settled(claim, 'expired', '', '')
  const webhook = await db.selectFrom('alert_webhooks').select(['format', 'url']).executeTakeFirst()
  if (webhook === undefined) return settled(claim, 'withheld', '', '')
  const result = await postMessage(deps, {
    url: await deps.secrets.decrypt(URL_PLACE, webhook.url),
    format: webhook.format,
    message: await decryptContent<ChatMessage>(deps.secrets, claim),
    id: claim.id,
    signal,
  })
  if (result.kind === 'interrupted') return untouched(claim)
  if (result.kind === 'accepted') return settled(claim, 'accepted', '', '')
  deps.log.warn({ reason: result.code }, `alerts: the chat did not take a message`)
  if (result.isFinal) return settled(claim, 'refused', result.code, '')
  return { ...untouched(claim, result.afterMs), answer: result.code, isUntouched: false }
}

export type PostResult =
  | { kind: 'accepted' }
  /** The server stops: it says nothing about the chat. */
  | { kind: 'interrupted' }
  /** `code` contains neither the address nor what the chat wrote. */
  | { kind: 'failed'; code: string; isFinal: boolean; afterMs: number | null }

/** One attempt. Redirects are not followed, and the name must resolve to a public address. */
export async function postMessage(
  { client, brandName }: Pick<ChatDeps, 'client' | 'brandName'>,
  post: { url: string; format: ChatFormat; message: ChatMessage; id: string; signal: AbortSignal },
): Promise<PostResult> {
  const { url, format, message, id, signal } = post
  const body = JSON.stringify(FORMATS[format](message, brandName))
  const headers = { 'idempotency-key': id }
  return readAnswer(await client.post(url, headers, body, signal, { statusOnly: true }))
}

function readAnswer(answer: Answer): PostResult {
  if (answer.kind === 'interrupted') return { kind: 'interrupted' }
  if (answer.kind === 'failed')
    return { kind: 'failed', code: answer.code, isFinal: answer.code === NOT_PUBLIC, afterMs: null }
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  return {
    kind: 'failed',
    code: `HTTP ${status}`,
    isFinal: status < 500 && status !== 408 && status !== 429,
    afterMs: readRetryAfter(answer.headers['retry-after']),
  }
}

/** Discord refuses longer messages. */
const DISCORD_LENGTH = 2_000

/** What each chat expects. Text of a message never mentions people or becomes a link. */
const FORMATS: Readonly<Record<ChatFormat, (message: ChatMessage, brandName: string) => object>> = {
  slack: ({ title, lines, action }) => ({
    text: [
      `*${forSlack(title)}*`,
      ...lines.map(forSlack),
      `<${forSlack(action.url)}|${forSlack(action.label)}>`,
    ].join('\n'),
  }),
  discord: ({ title, lines, action }) => {
    // Angle brackets keep the chat from fetching the address for a picture of it.
    const end = `\n${action.label}: <${action.url}>`
    const text = [`**${forDiscord(title)}**`, ...lines.map(forDiscord)].join('\n')
    const room = DISCORD_LENGTH - end.length
    return {
      content: (text.length > room ? `${text.slice(0, room - 1)}…` : text) + end,
      allowed_mentions: { parse: [] },
    }
  },
  json: ({ kind, title, lines, action }, brandName) => ({
    type: kind,
    site: brandName,
    title,
    text: lines.join('\n'),
    lines,
    url: action.url,
  }),
}

/** The three signs with a meaning in Slack's messages. */
function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function forDiscord(text: string): string {
  return text.replace(/[\\*_~`|>[\]]/g, '\\$&')
}

/** A failure as an administrator reads it. */
export function describeFailure(code: string): string {
  const status = Number(/^HTTP (\d+)$/.exec(code)?.[1])
  if (status === 400 || status === 415 || status === 422)
    return `O chat não entendeu a mensagem (código ${status}). Confira se o formato é o do seu chat.`
  if (status === 429) return 'O chat pediu para esperar (código 429). Tente novamente em alguns minutos.'
  if (status >= 300 && status < 400)
    return `O endereço redireciona para outro (código ${status}). Cole o endereço final, sem redirecionamento.`
  if (status >= 400 && status < 500)
    return `O chat recusou o endereço (código ${status}). Crie outro no chat e salve aqui.`
  if (status >= 500)
    return `O chat está com um problema (código ${status}). Tente novamente em alguns minutos.`
  if (code === NOT_PUBLIC) return 'Este endereço é de uma rede interna. Use um endereço público.'
  if (code === 'ENOTFOUND') return 'Este endereço não existe. Confira se ele foi colado inteiro.'
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT')) return 'O chat não respondeu a tempo.'
  if (/CERT|SSL|TLS/.test(code)) return 'O certificado de segurança deste endereço não é válido.'
  return 'Não foi possível conectar a este endereço.'
}
