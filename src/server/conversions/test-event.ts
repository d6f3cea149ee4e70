import { randomUUID } from 'node:crypto'
import {
  CONVERSIONS,
  type DeliveryCheck,
  type DeliveryCheckInput,
  type DeliveryDraftInput,
} from '#contract/conversions.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { AppError } from '../http/errors.ts'
import type { Answer, OutgoingClient } from '../http/outgoing.ts'
import type { ChangeAsCaller } from '../http/security/administrators.ts'
import { noteStop, type Stop } from './delivery-results.ts'
import {
  type Destination,
  type Job,
  type OutgoingRequest,
  type Target,
  takesEvent,
  type Verdict,
} from './destinations/destination.ts'
import { sendEvents } from './send-events.ts'
import { readDraftTarget, readTarget, type TargetDeps } from './targets.ts'

/** "Conferir": sends an invented event, and returns what was sent and answered. */
export async function checkDelivery(
  deps: TargetDeps & { client: OutgoingClient },
  change: ChangeAsCaller,
  pixelId: string,
  { test_event_code }: DeliveryCheckInput,
): Promise<DeliveryCheck> {
  const { check, stop } = await send(deps, await readTarget(deps, pixelId), test_event_code)
  // The vendor's answer about a saved pixel takes effect now, not with the next visit.
  if (check.state === 'accepted' || stop !== null)
    await change(deps.db, (trx) => noteStop(trx, { pixelId, stop, isAccepted: true, now: Date.now() }))
  return check
}

/** The same for an unsaved form; nothing is stored. */
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
      'Antes de enviar o teste, preencha o ID, o token de acesso e o endereço.',
    )
  const { code } = target.destination.test
  if (code !== undefined && test_event_code === undefined)
    throw new AppError(400, 'test_code_required', code.refusal)
  return sendTestEvent(client, target, {
    // The first conversion that the pixel sends.
    event: CONVERSIONS.find((name) => takesEvent(target.destination, target.eventIds, name)) ?? 'lead',
    eventId: randomUUID(),
    testCode: test_event_code,
    agent: 'Mozilla/5.0 (Portico; teste)',
    address: null,
  })
}

/** Sends an event of a test visit and returns the result; null if nothing was sent. */
export async function copyTestEvent(
  deps: TargetDeps & { client: OutgoingClient },
  pixelId: string,
  event: TestEvent,
): Promise<{ message: string; check: DeliveryCheck | null }> {
  const target = await readTarget(deps, pixelId)
  if (target === null)
    return {
      check: null,
      message: 'Falta o token ou o endereço do webhook. Edite o pixel, preencha e salve.',
    }
  if (!takesEvent(target.destination, target.eventIds, event.event))
    return { check: null, message: 'Este pixel não envia este evento pelo servidor.' }
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
  /** The vendor's test code, where it has one. */
  testCode: string | undefined
  agent: string | null
  address: string | null
}

/**
 * Sends one invented event, to the vendor's test endpoint if there is one. Returns what was sent, without the secret,
 * and the answer. It is neither queued nor counted.
 */
async function sendTestEvent(
  client: OutgoingClient,
  target: Target,
  event: TestEvent,
): Promise<{ check: DeliveryCheck; stop: Stop | null }> {
  const { destination, secret } = target
  const job = makeJob(target, event)
  const mode = { code: event.testCode }
  if (destination.test.checkHere !== undefined) {
    const request = destination.request(target, [job], mode)
    const fault = destination.test.checkHere(request)
    return {
      stop: null,
      check: {
        ...(fault === null
          ? { state: 'unconfirmed', message: destination.test.meaning }
          : { state: 'refused', message: fault }),
        checked_here: true,
        request: toShown(request, secret),
        response: null,
      },
    }
  }
  const { request, answer, verdict } = await sendEvents(client, target, [job], NEVER, mode)
  const { state, message, stop = null } = judge(destination, answer, verdict)
  return {
    stop,
    check: {
      state,
      request: toShown(request, secret),
      response:
        answer.kind === 'answer'
          ? { status: answer.status, body: answer.body.slice(0, MAX_SHOWN).replaceAll(secret, '…') }
          : null,
      message,
    },
  }
}

function toShown({ url, body }: OutgoingRequest, secret: string): DeliveryCheck['request'] {
  return { method: 'POST', url: withoutSecret(url, secret), body }
}

type Judged = Pick<DeliveryCheck, 'state' | 'message'> & {
  /** The vendor accepts nothing until somebody fixes the pixel. */
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
      at: now,
      path: '/',
      address,
      agent,
      marketing: true,
      visitor: randomUUID(),
      ...destination.test.ids(now),
    },
  }
}

function judge(destination: Destination, answer: Answer, verdict: Verdict): Judged {
  if (answer.kind === 'interrupted')
    return { state: 'waiting', message: 'O teste foi interrompido. Envie novamente.' }
  return destination.test.read?.(answer) ?? toJudged(verdict)
}

function toJudged(verdict: Verdict): Judged {
  if (verdict.kind === 'interrupted') return { state: 'waiting', message: '' }
  if (verdict.kind === 'each') {
    const [only] = verdict.verdicts
    return only === undefined ? { state: 'waiting', message: '' } : toJudged(only)
  }
  if (verdict.kind === 'settled') return { state: verdict.state, message: verdict.message }
  const { message } = verdict
  if (verdict.kind === 'stop') return { state: 'refused', message, stop: { code: verdict.code, message } }
  return { state: verdict.kind === 'retry' ? 'waiting' : 'refused', message }
}

/** Some vendors require the secret in the address. */
function withoutSecret(address: string, secret: string): string {
  const url = new URL(address)
  for (const [name, value] of [...url.searchParams]) if (value === secret) url.searchParams.set(name, '…')
  return url.href
}
