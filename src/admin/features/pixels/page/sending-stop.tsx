import { Button } from '#admin/components/button.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { formatMinute } from '#admin/lib/format-date.ts'
import type { PixelDeliveries } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'

/** Those that a new token mends. */
const TOKEN_CODES: ReadonlySet<string> = new Set(['token_refused', 'token_missing'])

interface SendingStopProps {
  stop: NonNullable<PixelDeliveries['stopped']>
  waiting: number
  expiresAt: string | null
  isRetrying: boolean
  onRetry: () => void
  onMend: () => void
}

/** Why nothing leaves, what waits meanwhile, and what to do. */
export function SendingStop({ stop, waiting, expiresAt, isRetrying, onRetry, onMend }: SendingStopProps) {
  const kept =
    waiting === 0 || expiresAt === null
      ? 'Nenhum evento espera na fila.'
      : `${formatCount(waiting, 'evento espera', 'eventos esperam')} na fila; o primeiro vence em ${formatMinute(expiresAt)}. Tentamos um deles de novo a cada hora.`
  return (
    <MessageBox
      look="bad"
      advice={`Parado desde ${formatMinute(stop.since)}. ${kept}`}
      actions={
        <>
          <Button look="outline" onClick={onMend}>
            {TOKEN_CODES.has(stop.code) ? 'Trocar o token' : 'Mudar o envio'}
          </Button>
          <Button look="outline" aria-disabled={isRetrying} onClick={onRetry}>
            Tentar de novo
          </Button>
        </>
      }
    >
      {stop.message}
    </MessageBox>
  )
}
