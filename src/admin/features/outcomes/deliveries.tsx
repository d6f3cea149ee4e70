import { ChevronDown } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { formatNumber } from '#admin/lib/format.ts'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { formatCount } from '#contract/format-count.ts'
import type {
  OutcomeDeliveries,
  OutcomeDeliveryState,
  OutcomeDestination,
  OutcomeRow,
} from '#contract/outcomes.ts'

interface DeliveriesProps {
  row: OutcomeRow
  destinations: readonly OutcomeDestination[]
  onChoose: (destination: OutcomeDestination, deliveries: OutcomeDeliveries) => void
}

/** Where the outcomes of one name went: a sum that closes for each destination, and the vendor's own words. */
export function Deliveries({ row, destinations, onChoose }: DeliveriesProps) {
  const pairs = destinations.flatMap((destination) => {
    const deliveries = row.deliveries.find(({ pixel_id }) => pixel_id === destination.id)
    return deliveries === undefined ? [] : [{ destination, deliveries }]
  })
  if (pairs.length === 0)
    return (
      <p className="col-span-full text-sm text-text-2">
        Nenhuma plataforma recebe este resultado. Para enviar, ative o envio pelo servidor em um pixel.
      </p>
    )
  const sending = pairs.filter(({ deliveries }) => deliveries.event !== null).length
  const refused = pairs.reduce((sum, { deliveries }) => sum + deliveries.states.refused, 0)
  return (
    <details className="group/sent col-span-full">
      <summary className="inline-flex min-h-11 cursor-pointer flex-wrap items-center gap-x-2 text-sm font-semibold sm:min-h-8 [&::-webkit-details-marker]:hidden">
        <ChevronDown aria-hidden="true" className="size-4 group-open/sent:rotate-180" />
        {sending === 0
          ? 'Não é enviado a nenhuma plataforma'
          : `Enviado a ${formatCount(sending, 'plataforma', 'plataformas')}`}
        {refused === 0 ? null : (
          <span className="text-bad">{formatCount(refused, 'recusado', 'recusados')}</span>
        )}
        <span className="sr-only">: {row.label}</span>
      </summary>
      <ul aria-label={`Plataformas: ${row.label}`} className="mt-1 grid gap-3">
        {pairs.map(({ destination, deliveries }) => (
          <DestinationItem
            key={destination.id}
            destination={destination}
            deliveries={deliveries}
            tied={row.tied}
            onChoose={() => onChoose(destination, deliveries)}
          />
        ))}
      </ul>
    </details>
  )
}

interface ItemProps {
  destination: OutcomeDestination
  deliveries: OutcomeDeliveries
  tied: number
  onChoose: () => void
}

function DestinationItem({ destination, deliveries, tied, onChoose }: ItemProps) {
  const { name, who, is_active: isActive, event: field } = destination
  const { event, sends_value: sendsValue, states, not_sent: notSent, refusals } = deliveries
  const shown = STATES.filter((state) => states[state] > 0)
  const wasSent = event !== null || shown.length > 0
  return (
    <li className="rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-[1_1_12rem]">
          <span className="block font-semibold wrap-anywhere">{name}</span>
          <span className="block text-sm text-text-2 wrap-anywhere">
            {describeChoice(field !== null, event, sendsValue, who)}
            {isActive ? null : ' · pixel desligado'}
          </span>
        </p>
        {field === null ? null : (
          <Button look="outline" onClick={onChoose} aria-label={`Mudar o envio: ${name}`}>
            Mudar o envio
          </Button>
        )}
      </div>
      {!wasSent || (shown.length === 0 && notSent === 0) ? null : (
        <ul
          aria-label={`Envios: ${name}`}
          className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm tabular-nums"
        >
          {shown.map((state) => (
            <li key={state}>{describeState(state, states[state], destination)}</li>
          ))}
          {notSent === 0 ? null : <li>{formatCount(notSent, 'não enviado', 'não enviados')}</li>}
          <li className="text-text-2">{`de ${formatNumber(tied)} ligados a uma visita`}</li>
        </ul>
      )}
      {refusals.map(({ reason, message, count }) => (
        <p key={reason} className="mt-2 text-sm text-pretty">
          <strong>{`${capitalize(who)} recusou ${formatNumber(count)}:`}</strong> {message}{' '}
          <span className="font-mono text-text-2 wrap-anywhere">{reason}</span>
        </p>
      ))}
    </li>
  )
}

function describeChoice(
  takesOutcomes: boolean,
  event: string | null,
  sendsValue: boolean,
  who: string,
): string {
  if (!takesOutcomes)
    return `Não é possível enviar: para receber resultados, ${who} exige dados do navegador da pessoa.`
  if (event === null) return 'Não enviado'
  return `Recebe como ${event}${sendsValue ? ', com o valor' : ''}`
}

/** In the order in which they are shown. */
const STATES = [
  'accepted',
  'unconfirmed',
  'refused',
  'waiting',
  'withheld',
  'expired',
  'unmatched',
] as const satisfies readonly OutcomeDeliveryState[]

function describeState(
  state: OutcomeDeliveryState,
  count: number,
  { who, category }: OutcomeDestination,
): string {
  const number = formatNumber(count)
  const one = count === 1
  const words: Record<OutcomeDeliveryState, string> = {
    accepted: one ? 'aceito' : 'aceitos',
    unconfirmed: `${one ? 'enviado' : 'enviados'}, sem confirmação`,
    refused: one ? 'recusado' : 'recusados',
    waiting: 'na fila',
    withheld: `sem consentimento de ${TAG_CATEGORY_LABELS[category]} ou com o envio desligado`,
    expired: one ? 'expirado' : 'expirados',
    unmatched: `sem clique em anúncio d${who}`,
  }
  return `${number} ${words[state]}`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
