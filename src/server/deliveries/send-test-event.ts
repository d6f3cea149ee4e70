import { randomUUID } from 'node:crypto'
import type { DeliveryCheck } from '#contract/conversions.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { composeGoogleRequest, GOOGLE_NEVER_TELLS } from './destinations/google-analytics.ts'
import { composeMetaRequest } from './destinations/meta.ts'
import { readMetaAnswer } from './destinations/read-meta-answer.ts'
import { composeWebhookRequest, readWebhookAnswer } from './destinations/webhook.ts'
import type { Job, Request, Target } from './job.ts'
import type { Answer, OutgoingClient } from './outgoing-client.ts'
import type { Stop } from './pixels/record-outcomes.ts'
import type { Verdict } from './verdict.ts'

const MAX_SHOWN = 4_000
const NEVER = new AbortController().signal

export interface TestEvent {
  event: ServerEventName
  eventId: string
  /** Meta's, from its page "Testar eventos". */
  testCode: string | undefined
  agent: string | null
  address: string | null
}

/**
 * One event of nobody, to where the vendor keeps no data if there is such a place, and what came back. What is shown is
 * what was sent, but for the secret. It is in no queue and no count.
 */
export async function sendTestEvent(
  client: OutgoingClient,
  target: Target,
  event: TestEvent,
): Promise<{ check: DeliveryCheck; stop: Stop | null }> {
  const { url, headers, body } = compose(target, event)
  const answer = await client.post(url, headers, JSON.stringify(body), NEVER)
  const { state, message, stop = null } = judge(target, answer)
  return {
    stop,
    check: {
      state,
      request: { method: 'POST', url: withoutSecret(url), body },
      response:
        answer.kind === 'answer'
          ? { status: answer.status, body: answer.body.slice(0, MAX_SHOWN).replaceAll(target.secret, '…') }
          : null,
      message,
    },
  }
}

type Judged = Pick<DeliveryCheck, 'state' | 'message'> & {
  /** Nothing will be taken until somebody mends something. */
  stop?: Stop
}

function compose(target: Target, { event, eventId, testCode, agent, address }: TestEvent): Request {
  const now = Date.now()
  const seconds = Math.floor(now / 1000)
  const job: Job = {
    id: randomUUID(),
    pixel_id: '',
    event_id: eventId,
    event,
    consent_id: '',
    category: '',
    attempts: 1,
    created_at: '',
    expires_at: '',
    payload: {
      at: now,
      path: '/',
      address,
      agent,
      marketing: true,
      visitor: randomUUID(),
      fbp: `fb.1.${now}.1`,
      client: `1.${seconds}`,
      session: String(seconds),
      engagementMs: 1,
    },
  }
  if (target.kind === 'meta') return composeMetaRequest(target, [job], testCode)
  return target.kind === 'google_analytics'
    ? composeGoogleRequest(target, job, true)
    : composeWebhookRequest(target, job, { isTest: true })
}

function judge({ kind }: Target, answer: Answer): Judged {
  if (answer.kind === 'interrupted') return { state: 'waiting', message: 'O teste foi interrompido.' }
  if (kind === 'google_analytics') return judgeGoogle(answer)
  return describe(kind === 'meta' ? readMetaAnswer(answer, 1) : readWebhookAnswer(answer))
}

function describe(verdict: Verdict): Judged {
  if (verdict.kind === 'interrupted') return { state: 'waiting', message: '' }
  if (verdict.kind === 'settled') return { state: verdict.state, message: verdict.message }
  const { message } = verdict
  if (verdict.kind === 'stop') return { state: 'refused', message, stop: { code: verdict.code, message } }
  return { state: verdict.kind === 'retry' ? 'waiting' : 'refused', message }
}

/** Google's debug endpoint reads the form of an event; it knows nothing of the secret or the ID. */
function judgeGoogle(
  answer: Exclude<Answer, { kind: 'interrupted' }>,
): Pick<DeliveryCheck, 'state' | 'message'> {
  if (answer.kind === 'failed')
    return { state: 'waiting', message: `Não foi possível falar com o Google (${answer.code}).` }
  if (answer.status !== 200)
    return {
      state: 'refused',
      message: `O Google recusou a requisição (HTTP ${answer.status}). Confira o Measurement ID e a chave secreta da API; se estiverem certos, fale com a equipe de TI.`,
    }
  const isClean = /"validationMessages"\s*:\s*\[\s*\]/.test(answer.body)
  return isClean
    ? { state: 'unconfirmed', message: `O formato está certo. ${GOOGLE_NEVER_TELLS}` }
    : {
        state: 'refused',
        message:
          'O Google recusou o formato do evento. Fale com a equipe de TI: a resposta inteira está abaixo.',
      }
}

/** GA4 wants its secret in the address. */
function withoutSecret(address: string): string {
  const url = new URL(address)
  if (url.searchParams.has('api_secret')) url.searchParams.set('api_secret', '…')
  return url.href
}
