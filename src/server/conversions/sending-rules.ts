import { DELIVERY_LABELS, PIXEL_TYPE_LABELS, type PixelDelivery, type PixelType } from '#contract/pixel.ts'
import type { Row } from '../data/resource.ts'
import { AppError } from '../http/errors.ts'
import { areEventIds, type Destination, type EventIds, isAccepted } from './destinations/destination.ts'
import { DESTINATIONS, destinationOf } from './destinations/destinations.ts'

/** Columns that, with the destination, decide whether and how the server sends for a pixel. */
const SENDING_COLUMNS = [
  'type',
  'pixel_id',
  'delivery',
  'destination_account',
  'event_ids',
  'webhook_url',
  'send_hashed_email',
] as const

/** True if a change alters where or how the server sends. */
export function changesSending(before: Row, after: Row): boolean {
  return (
    isSentElsewhere(before, after) ||
    SENDING_COLUMNS.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  )
}

/** A secret belongs to the destination for which it was stored. */
export function isSentElsewhere(before: Row, after: Row): boolean {
  return destinationOf(before as SentRow) !== destinationOf(after as SentRow)
}

interface SentRow extends Row {
  type: PixelType
  destination?: string | null
}

/**
 * The destination to store: the one that the row names, else the first of its type if the server sends. A change of
 * type drops the former type's destination.
 */
export function chooseDestination(before: Row | null, after: Row): string | null {
  const { type, destination = null } = after as SentRow
  if (destination !== null && destination !== before?.destination) return destination
  const kept = withoutForeign({ type, destination })
  return kept === null && after.delivery !== 'browser' ? (destinationOf({ type })?.id ?? null) : kept
}

/** The stored destination, or null if it is of another type: an older process changed the type alone. */
export function withoutForeign({ type, destination = null }: SentRow): string | null {
  return DESTINATIONS.some((each) => each.id === destination && each.type !== type) ? null : destination
}

/** Throws if a pixel cannot be sent the way it says. The message never contains the secret. */
export function refuseDelivery(row: Row): void {
  const type = row.type as PixelType
  const delivery = row.delivery as PixelDelivery
  const destination = findDestination(type, row.destination)
  const choices: readonly PixelDelivery[] = ['browser', ...(destination?.ways ?? [])]
  if (!choices.includes(delivery))
    throw refused(
      `O tipo ${PIXEL_TYPE_LABELS[type]} não aceita o envio "${DELIVERY_LABELS[delivery]}". Escolha ${listLabels(choices)}.`,
    )
  if (typeof row.access_token === 'string') refuseToken(type, destination, row.access_token)
  if (typeof row.webhook_url === 'string') refuseUrl(destination, row.webhook_url)
  refuseForeignSettings(type, destination, row)
  if (row.send_hashed_email === true && (destination?.email === undefined || delivery === 'browser'))
    throw refused(
      `O e-mail em hash só pode ser enviado pelo servidor, a ${listEmailTakers()}. Mude o envio ou desmarque essa opção.`,
    )
  if (destination !== null && delivery !== 'browser') refuseIncomplete(destination, row)
}

function findDestination(type: PixelType, id: unknown): Destination | null {
  if (typeof id !== 'string') return destinationOf({ type })
  const known = DESTINATIONS.filter((each) => each.type === type)
  const named = known.find((each) => each.id === id)
  if (named !== undefined) return named
  throw refused(
    known.length === 0
      ? `O tipo ${PIXEL_TYPE_LABELS[type]} envia só pela página e não tem destino.`
      : `O destino "${id}" não existe para o tipo ${PIXEL_TYPE_LABELS[type]}. Escolha ${known.map((each) => `"${each.id}"`).join(' ou ')}.`,
  )
}

function refuseToken(type: PixelType, destination: Destination | null, token: string): void {
  if (destination === null)
    throw refused(
      `O tipo ${PIXEL_TYPE_LABELS[type]} envia só pela página e não usa token. Apague o token para salvar.`,
    )
  const { secret } = destination.form
  if (!isAccepted(secret, token)) throw refused(`${secret.label}: ${secret.refusal}`)
}

function refuseUrl(destination: Destination | null, url: string): void {
  const field = destination?.form.url
  if (field === undefined)
    throw refused(
      'Só pixels do tipo Personalizado que enviam a um webhook usam este endereço. Apague o endereço para salvar.',
    )
  if (!isAccepted(field, url)) throw refused(field.refusal)
}

/** Account and IDs that the destination does not use. */
function refuseForeignSettings(type: PixelType, destination: Destination | null, row: Row): void {
  const usesAccount = type === 'custom' && destination?.form.account !== undefined
  if (typeof row.destination_account === 'string' && !usesAccount)
    throw refused('Este destino não usa conta na plataforma. Apague a conta para salvar.')
  if (Object.keys(row.event_ids ?? {}).length > 0 && destination?.form.eventId === undefined)
    throw refused('Este destino não usa números de conversão. Apague os números para salvar.')
}

function refuseIncomplete({ form }: Destination, row: Row): void {
  const account = row.type === 'custom' ? row.destination_account : row.pixel_id
  if (form.account !== undefined && !isAccepted(form.account, String(account ?? '')))
    throw refused(form.account.refusal)
  if (form.eventId !== undefined && !areEventIds(form.eventId, (row.event_ids ?? {}) as EventIds))
    throw refused(form.eventId.refusal)
  if (form.url !== undefined && typeof row.webhook_url !== 'string')
    throw refused('Para enviar pelo servidor, preencha o endereço do webhook.')
  if (row.has_access_token !== true)
    throw refused(
      `Para enviar pelo servidor, preencha o campo "${form.secret.label}". Para remover o valor salvo, escolha antes o envio "${DELIVERY_LABELS.browser}".`,
    )
}

function listEmailTakers(): string {
  const names = DESTINATIONS.filter(({ email }) => email !== undefined).map(({ name }) => name)
  return new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(names)
}

function listLabels(choices: readonly PixelDelivery[]): string {
  return choices.map((choice) => `"${DELIVERY_LABELS[choice]}"`).join(' ou ')
}

/** An own code, so that dashboards show the message as it is. */
const refused = (message: string) => new AppError(400, 'pixel_delivery_refused', message)
