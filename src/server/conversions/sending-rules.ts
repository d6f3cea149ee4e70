import { DELIVERY_LABELS, PIXEL_TYPE_LABELS, type PixelDelivery, type PixelType } from '#contract/pixel.ts'
import type { Row } from '../data/resource.ts'
import { AppError } from '../http/errors.ts'
import { type Destination, isAccepted } from './destinations/destination.ts'
import { DESTINATIONS, destinationOf } from './destinations/destinations.ts'

/** Beside the destination, what decides whether and how the server can send for a pixel. */
const SENDING_COLUMNS = ['type', 'pixel_id', 'delivery', 'webhook_url', 'send_hashed_email'] as const

/** Whether a change makes the server send elsewhere, or in another way. */
export function changesSending(before: Row, after: Row): boolean {
  return isSentElsewhere(before, after) || SENDING_COLUMNS.some((name) => before[name] !== after[name])
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
 * The destination that a row is stored with: the one that it names; where it names none and the server sends, the first
 * of its type. A change of type takes the destination of the former type with it.
 */
export function chooseDestination(before: Row | null, after: Row): string | null {
  const { type, destination = null } = after as SentRow
  if (destination !== null && destination !== before?.destination) return destination
  const kept = withoutForeign({ type, destination })
  return kept === null && after.delivery !== 'browser' ? (destinationOf({ type })?.id ?? null) : kept
}

/** The stored destination, or null where it is one of another type: an older process changed the type alone. */
export function withoutForeign({ type, destination = null }: SentRow): string | null {
  return DESTINATIONS.some((each) => each.id === destination && each.type !== type) ? null : destination
}

/** Throws when a pixel could not be sent the way that it says, in words for whoever wrote it. Never names the secret. */
export function refuseDelivery(row: Row): void {
  const type = row.type as PixelType
  const delivery = row.delivery as PixelDelivery
  const destination = findDestination(type, row.destination)
  const choices: readonly PixelDelivery[] = ['browser', ...(destination?.ways ?? [])]
  if (!choices.includes(delivery))
    throw refused(
      `O envio "${DELIVERY_LABELS[delivery]}" não existe para o tipo ${PIXEL_TYPE_LABELS[type]}. Escolha ${listLabels(choices)}.`,
    )
  if (typeof row.access_token === 'string') refuseToken(type, destination, row.access_token)
  if (typeof row.webhook_url === 'string') refuseUrl(destination, row.webhook_url)
  if (row.send_hashed_email === true && (!destination?.carries.includes('email') || delivery === 'browser'))
    throw refused(
      'O e-mail em código (hash) só pode ser enviado por um Pixel da Meta com envio pelo servidor.',
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
      ? `O tipo ${PIXEL_TYPE_LABELS[type]} roda só no navegador e não tem destino.`
      : `O destino "${id}" não existe para o tipo ${PIXEL_TYPE_LABELS[type]}. Escolha ${known.map((each) => `"${each.id}"`).join(' ou ')}.`,
  )
}

function refuseToken(type: PixelType, destination: Destination | null, token: string): void {
  if (destination === null)
    throw refused(`O tipo ${PIXEL_TYPE_LABELS[type]} roda só no navegador e não usa token.`)
  const { secret } = destination.form
  if (!isAccepted(secret, token)) throw refused(`${secret.label}: ${secret.refusal}`)
}

function refuseUrl(destination: Destination | null, url: string): void {
  const field = destination?.form.url
  if (field === undefined) throw refused('Só um pixel personalizado tem endereço de webhook.')
  if (!isAccepted(field, url)) throw refused(field.refusal)
}

function refuseIncomplete({ form }: Destination, row: Row): void {
  if (form.account !== undefined && !isAccepted(form.account, String(row.pixel_id)))
    throw refused(form.account.refusal)
  if (form.url !== undefined && typeof row.webhook_url !== 'string')
    throw refused('Para enviar pelo servidor, informe o endereço do webhook.')
  if (row.has_access_token !== true)
    throw refused(
      `Para enviar pelo servidor, informe: ${form.secret.label}. Para removê-lo, escolha antes o envio "${DELIVERY_LABELS.browser}".`,
    )
}

function listLabels(choices: readonly PixelDelivery[]): string {
  return choices.map((choice) => `"${DELIVERY_LABELS[choice]}"`).join(' ou ')
}

/** A code of its own: dashboards show an unknown code's message as it is. */
const refused = (message: string) => new AppError(400, 'pixel_delivery_refused', message)
