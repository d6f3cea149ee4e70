import { randomUUID } from 'node:crypto'
import type { DeliveryCheck, DeliveryCheckInput, DeliveryDraftInput } from '#contract/conversions.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { change } from '../db/transactions/change.ts'
import { AppError } from '../http/errors.ts'
import type { Answer, OutgoingClient } from '../http/outgoing.ts'
import type { Destination, Job, Target, Verdict } from './destinations/destination.ts'
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
  const { code } = target.destination.test
  if (code !== undefined && test_event_code === undefined)
    throw new AppError(400, 'test_code_required', code.refusal)
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
  const { code } = target.destination.test
  if (code !== undefined && event.testCode === undefined) return { check: null, message: code.missingInVisit }
  const { check } = await sendTestEvent(deps.client, target, event)
  return { message: check.message, check }
}

const MAX_SHOWN = 4_000

const NEVER = new AbortController().signal

export interface TestEvent {
  event: ServerEventName
  eventId: string
  /** The vendor's, where it has one. */
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
  const { url, headers, body } = target.destination.request(target, [makeJob(target, event)], {
    code: event.testCode,
  })
  const answer = await client.post(url, headers, JSON.stringify(body), NEVER)
  const { state, message, stop = null } = judge(target.destination, answer)
  return {
    stop,
    check: {
      state,
      request: { method: 'POST', url: withoutSecret(url, target.secret), body },
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

function makeJob({ destination }: Target, { event, eventId, agent, address }: TestEvent): Job {
  const now = Date.now()
  return {
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
      ...destination.test.ids(now),
      at: now,
      path: '/',
      address,
      agent,
      marketing: true,
      visitor: randomUUID(),
    },
  }
}

function judge(destination: Destination, answer: Answer): Judged {
  if (answer.kind === 'interrupted') return { state: 'waiting', message: 'O teste foi interrompido.' }
  return destination.test.read?.(answer) ?? toJudged(destination.readAnswer(answer, 1))
}

function toJudged(verdict: Verdict): Judged {
  if (verdict.kind === 'interrupted') return { state: 'waiting', message: '' }
  if (verdict.kind === 'settled') return { state: verdict.state, message: verdict.message }
  const { message } = verdict
  if (verdict.kind === 'stop') return { state: 'refused', message, stop: { code: verdict.code, message } }
  return { state: verdict.kind === 'retry' ? 'waiting' : 'refused', message }
}

/** Some vendors want their secret in the address. */
function withoutSecret(address: string, secret: string): string {
  const url = new URL(address)
  for (const [name, value] of [...url.searchParams]) if (value === secret) url.searchParams.set(name, '…')
  return url.href
}
