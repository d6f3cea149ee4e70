import { randomUUID } from 'node:crypto'
import type { DeliveryCheck, DeliveryCheckInput, DeliveryDraftInput } from '#contract/conversions.ts'
import { change } from '../db/change.ts'
import { AppError } from '../http/app-error.ts'
import type { Target } from './job.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import { noteStop } from './pixels/record-outcomes.ts'
import { readDraftTarget, readTarget, type TargetDeps } from './read-target.ts'
import { sendTestEvent } from './send-test-event.ts'

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
