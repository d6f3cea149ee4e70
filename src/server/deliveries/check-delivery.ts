import { randomUUID } from 'node:crypto'
import type { DeliveryCheck, DeliveryCheckInput } from '#contract/delivery-log.ts'
import { AppError } from '../http/app-error.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import { readTarget, type TargetDeps } from './read-target.ts'
import { sendTestEvent } from './send-test-event.ts'

/** "Conferir": one made-up event, what was sent, and what came back. */
export async function checkDelivery(
  deps: TargetDeps & { client: OutgoingClient },
  pixelId: string,
  { test_event_code }: DeliveryCheckInput,
): Promise<DeliveryCheck> {
  const target = await readTarget(deps, pixelId)
  if (target === null)
    throw new AppError(
      409,
      'delivery_incomplete',
      'Salve antes o token e o endereço com que o servidor envia.',
    )
  if (target.kind === 'meta' && test_event_code === undefined)
    throw new AppError(
      400,
      'test_code_required',
      'Informe o código de teste (TEST…) da aba "Testar eventos" do Gerenciador de Eventos.',
    )
  return sendTestEvent(deps.client, target, {
    event: 'lead',
    eventId: randomUUID(),
    testCode: test_event_code,
    agent: 'Mozilla/5.0 (Portico; teste)',
    address: null,
  })
}
