import { randomUUID } from 'node:crypto'
import type { DeliveryCheck, DeliveryCheckInput, DeliveryDraftInput } from '#contract/conversions.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import type { Answer, OutgoingClient } from '../http/outgoing.ts'
import type { Job, Request, Target, Verdict } from './destinations/destination.ts'
import { composeGoogleRequest, GOOGLE_NEVER_TELLS } from './destinations/google-analytics.ts'
import { composeMetaRequest, readMetaAnswer } from './destinations/meta.ts'
import { composeWebhookRequest, readWebhookAnswer } from './destinations/webhook.ts'
import { noteStop, type Stop } from './outcomes.ts'
import { readDraftTarget, readTarget, type TargetDeps } from './targets.ts'

/** "Conferir": one made-up event, what was sent, and what came back. */
export async function checkDelivery(
  deps: TargetDeps & { client: OutgoingClient },
  pixelId: string,
  { test_event_code }: DeliveryCheckInput,
): Promise<DeliveryCheck> {
  const { check, stop } = await send(deps, await readTarget(deps, pixelId), test_event_code)
  // What the vendor said of what is saved is known from now on, and not from the next visit.
  if (check.state === 'accepted' || stop !== null)
    await change(deps.db, (trx) => noteStop(trx, { pixelId, stop, isAccepted: true, now: Date.now() }))
  return check
}

/** The same of a form before it is saved; nothing of it is kept. */
export async function checkDraft(
  deps: TargetDeps & { client: OutgoingClient },
  draft: DeliveryDraftInput,
): Promise<DeliveryCheck> {
  return (await send(deps, await readDraftTarget(deps, draft), draft.test_event_code)).check
}

async function send(
  { client }: { client: OutgoingClient },
  target: Target | null,
  test_event_code: string | undefined,
): ReturnType<typeof sendTestEvent> {
  if (target === null)
    throw new AppError(
      409,
      'delivery_incomplete',
      'Informe antes o ID, o token e o endereço com que o servidor envia.',
    )
  if (target.kind === 'meta' && test_event_code === undefined)
    throw new AppError(
      400,
      'test_code_required',
      'Informe o código de teste (TEST…) da aba "Testar eventos" do Gerenciador de Eventos.',
    )
  return sendTestEvent(client, target, {
    event: 'lead',
    eventId: randomUUID(),
    testCode: test_event_code,
    agent: 'Mozilla/5.0 (Portico; teste)',
    address: null,
  })
}

/** The server's copy of something done in a test of a pixel: what came of it, and null where nothing was sent. */
export async function copyTestEvent(
  deps: TargetDeps & { client: OutgoingClient },
  pixelId: string,
  event: TestEvent,
): Promise<{ message: string; check: DeliveryCheck | null }> {
  const target = await readTarget(deps, pixelId)
  if (target === null)
    return {
      check: null,
      message: 'Falta o token ou o endereço com que o servidor envia. Salve-o no formulário do pixel.',
    }
  if (target.kind === 'meta' && event.testCode === undefined)
    return {
      check: null,
      message:
        'Sem o código de teste da Meta, o evento contaria como os dos visitantes. Teste de novo com o código (TEST…) da aba "Testar eventos".',
    }
  const { check } = await sendTestEvent(deps.client, target, event)
  return { message: check.message, check }
}

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
async function sendTestEvent(
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
