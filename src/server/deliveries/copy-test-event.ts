import type { DeliveryCheck } from '#contract/conversions.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import { readTarget, type TargetDeps } from './read-target.ts'
import { sendTestEvent, type TestEvent } from './send-test-event.ts'

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
