import { CircleAlert, CircleCheck, CircleDashed, CircleSlash, Clock, Hourglass } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { HelpLink } from '#admin/components/help-link.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { QueryView } from '#admin/components/query-view.tsx'
import { formatList, formatMinute, formatNumber } from '#admin/lib/format.ts'
import {
  DELIVERY_STATE_LABELS,
  type DeliveryState,
  type PixelDeliveries,
  type ServedDestination,
} from '#contract/conversions.ts'
import { formatCount, formatPart } from '#contract/format-count.ts'
import { ACCESS_TOKEN_LABELS, DELIVERY_LABELS, type Pixel } from '#contract/pixel.ts'
import { labelOfEvent } from '#contract/server-event.ts'
import { useDestinationOf, useVendorOf } from '../destinations.ts'
import { answererOf } from '../sending.ts'
import { useDeliveries, useRetryDeliveries } from './api.ts'

interface SendingCardProps {
  pixel: Pixel
  /** Opens the sending part of the form. */
  onFix: () => void
}

/** What the server sends for the pixel: stop, waiting events, refusals with reasons, and the last answers. */
export function SendingCard({ pixel, onFix }: SendingCardProps) {
  const deliveries = useDeliveries(pixel.id)
  const destination = useDestinationOf(pixel)
  return (
    <Card role="region" aria-labelledby="sending-heading" aria-busy={deliveries.isPending}>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-4 sm:px-5">
        <div className="min-w-0 flex-[1_1_16rem]">
          <div className="flex items-center">
            <h3 id="sending-heading" className="text-base tracking-tight">
              Envio pelo servidor
            </h3>
            <HelpLink topic="envio pelo servidor" />
          </div>
          <p className="text-sm text-pretty text-text-2">{describeSetting(pixel, destination)}</p>
        </div>
        <Button look="outline" aria-label="Editar envio" onClick={onFix}>
          Editar
        </Button>
      </header>
      <QueryView
        query={deliveries}
        failure="Não foi possível carregar os envios."
        loading={<div className="h-40" />}
      >
        {(data) => <Deliveries pixel={pixel} deliveries={data} onFix={onFix} />}
      </QueryView>
    </Card>
  )
}

function describeSetting(
  { type, delivery, has_access_token, access_token_stored_at }: Pixel,
  destination: ServedDestination | undefined,
): string {
  const label = destination?.secret.label ?? ACCESS_TOKEN_LABELS[type] ?? 'Token'
  const secret = !has_access_token
    ? `${label}: não informado.`
    : access_token_stored_at === null
      ? `${label}: salvo.`
      : `${label}: salvo em ${formatMinute(access_token_stored_at)}.`
  const platform = type === 'custom' && destination !== undefined ? `${destination.name}. ` : ''
  return `${platform}${DELIVERY_LABELS[delivery]}. ${secret}`
}

function Deliveries({ pixel, onFix, ...props }: SendingCardProps & { deliveries: PixelDeliveries }) {
  const retry = useRetryDeliveries(pixel.id)
  const onRetry = () => retry.mutate()
  const answerer = answererOf(pixel.type, useVendorOf(pixel))
  const { stopped, waiting, next_attempt_at, first_expires_at, confirmations, refusals, deliveries } =
    props.deliveries
  return (
    <div className="@container">
      {stopped ? (
        <div className="px-4 pb-4 sm:px-5">
          <SendingStop
            stop={stopped}
            expiresAt={first_expires_at}
            waiting={waiting}
            isRetrying={retry.isPending}
            onRetry={onRetry}
            onFix={onFix}
          />
        </div>
      ) : waiting > 0 ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 sm:px-5">
          <p className="min-w-0 flex-[1_1_14rem] text-[0.9375rem]">
            {formatCount(waiting, 'evento', 'eventos')} na fila.
            {next_attempt_at === null ? null : (
              <span className="block text-sm text-text-2">
                Próxima tentativa: <time dateTime={next_attempt_at}>{formatMinute(next_attempt_at)}</time>
              </span>
            )}
          </p>
          <Button look="outline" pending={retry.isPending} onClick={onRetry}>
            Tentar agora
          </Button>
        </div>
      ) : null}
      {confirmations === null ? null : <Confirmed {...confirmations} {...answerer} />}
      {refusals.length === 0 ? null : (
        <section aria-labelledby="refusals-heading" className="border-t border-line px-4 py-3 sm:px-5">
          <h4 id="refusals-heading" className="text-sm font-semibold">
            Recusas {answerer.ofWho} nos últimos 30 dias
          </h4>
          <ul className="grid grid-cols-1 text-[0.9375rem]/snug">
            {refusals.map(({ reason, message, count }) => (
              <li key={reason} className="flex items-baseline gap-4 py-1.5">
                <span className="min-w-0 flex-1 wrap-anywhere">
                  {message} <span className="font-mono text-[0.8125rem] text-text-2">{reason}</span>
                </span>
                <b className="font-semibold tabular-nums">{formatNumber(count)}</b>
              </li>
            ))}
          </ul>
        </section>
      )}
      {deliveries.length === 0 ? (
        <p className="border-t border-line px-4 py-4 text-[0.9375rem] text-text-2 sm:px-5">
          Nenhum envio ainda. O primeiro vai aparecer aqui com a resposta da plataforma.
        </p>
      ) : (
        <section aria-labelledby="deliveries-heading">
          <h4
            id="deliveries-heading"
            className="border-t border-line px-4 pt-3 pb-2 text-sm font-semibold sm:px-5"
          >
            Últimos envios e respostas
          </h4>
          <ol>
            {deliveries.map((delivery) => (
              <DeliveryItem key={delivery.id} delivery={delivery} />
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}

/** What the vendor said after it had accepted the events. Events without a result are not part of it. */
function Confirmed({
  confirmed,
  refused,
  unanswered,
  who,
  Who,
}: NonNullable<PixelDeliveries['confirmations']> & Pick<ReturnType<typeof answererOf>, 'who' | 'Who'>) {
  const others = [
    ...(refused > 0 ? [formatCount(refused, 'recusado', 'recusados')] : []),
    ...(unanswered > 0 ? [`${formatNumber(unanswered)} sem resposta`] : []),
  ]
  return (
    <div className="border-t border-line px-4 py-3 text-[0.9375rem] sm:px-5">
      <p>
        {`${Who} confirmou ${formatPart(confirmed, confirmed + refused + unanswered, 'evento', 'eventos')} nos últimos 30 dias.`}
      </p>
      <p className="text-sm text-text-2">
        {`${others.length === 0 ? '' : `${formatList(others)}. `}A conta não inclui eventos que ${who} ainda não conferiu.`}
      </p>
    </div>
  )
}

/** Only states that may need action have a colour. */
const LOOKS: Record<DeliveryState, { icon: typeof Clock; className: string }> = {
  accepted: { icon: CircleCheck, className: 'text-ok' },
  unconfirmed: { icon: CircleDashed, className: 'text-text-2' },
  refused: { icon: CircleAlert, className: 'text-bad' },
  waiting: { icon: Clock, className: 'text-text-2' },
  expired: { icon: Hourglass, className: 'text-warn' },
  withheld: { icon: CircleSlash, className: 'text-text-2' },
}

/** One attempt and its answer, without data of the visitor. */
function DeliveryItem({ delivery }: { delivery: PixelDeliveries['deliveries'][number] }) {
  const { at, event, outcome_label, state, attempts, answer, message } = delivery
  const { icon: Icon, className } = LOOKS[state]
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 border-t border-line px-4 py-3 text-[0.9375rem]/snug sm:px-5 @min-[40rem]:grid-cols-[12rem_9rem_minmax(0,1fr)] @min-[60rem]:grid-cols-[18rem_14rem_minmax(0,1fr)]">
      <div className="min-w-0 wrap-anywhere">
        <p className="font-semibold">{labelOfEvent(event, outcome_label)}</p>
        <p className="text-sm text-text-2">
          <time dateTime={at}>{formatMinute(at)}</time>
          {attempts > 1 ? ` · tentativa ${attempts}` : null}
        </p>
      </div>
      <p className={`flex min-w-0 items-start gap-2 font-semibold ${className}`}>
        <Icon aria-hidden="true" className="size-5 flex-none" />
        {DELIVERY_STATE_LABELS[state]}
      </p>
      <div className="min-w-0 wrap-anywhere">
        <p>{message}</p>
        <p className="font-mono text-[0.8125rem] text-text-2">{answer}</p>
      </div>
    </li>
  )
}

/** Stops that a new token fixes. */
const TOKEN_CODES: ReadonlySet<string> = new Set(['token_refused', 'token_missing'])

interface SendingStopProps {
  stop: NonNullable<PixelDeliveries['stopped']>
  waiting: number
  expiresAt: string | null
  isRetrying: boolean
  onRetry: () => void
  onFix: () => void
}

/** Why nothing is sent, what waits, and what to do. */
function SendingStop({ stop, waiting, expiresAt, isRetrying, onRetry, onFix }: SendingStopProps) {
  const kept =
    waiting === 0 || expiresAt === null
      ? 'Nenhum evento na fila.'
      : `${formatCount(waiting, 'evento', 'eventos')} na fila. O primeiro expira em ${formatMinute(expiresAt)}. A cada hora, tentamos enviar um deles.`
  return (
    <MessageBox
      look="bad"
      advice={`Envio parado desde ${formatMinute(stop.since)}. ${kept}`}
      actions={
        <>
          <Button look="outline" onClick={onFix}>
            {TOKEN_CODES.has(stop.code) ? 'Alterar token' : 'Editar envio'}
          </Button>
          <Button look="outline" pending={isRetrying} onClick={onRetry}>
            Tentar agora
          </Button>
        </>
      }
    >
      {stop.message}
    </MessageBox>
  )
}
