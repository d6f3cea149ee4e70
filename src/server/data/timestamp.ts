import { protocolError } from './protocol-errors.ts'

const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** Any ISO form that PostgreSQL takes too, in the one form that both engines store. Without a zone it means UTC. */
export function parseTimestamp(text: string): string {
  const match = PATTERN.exec(text.trim())
  if (match === null) throw badTimestamp(text)
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`
  const asUtc = new Date(`${local}Z`)
  // A day that its month does not have would silently become another day.
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== `${local}Z`) throw outOfRange(text)
  const instant = new Date(asUtc.getTime() - zoneMinutes(zone, text) * 60_000)
  const year4 = instant.getUTCFullYear()
  if (year4 < 1 || year4 > 9999) throw outOfRange(text)
  return instant.toISOString()
}

function zoneMinutes(zone: string, text: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 15 || minutes > 59) throw outOfRange(text)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const badTimestamp = (text: string) =>
  protocolError(400, '22007', `invalid input syntax for type timestamp with time zone: "${text}"`)
const outOfRange = (text: string) =>
  protocolError(400, '22008', `date/time field value out of range: "${text}"`)

const DOT = 19
const ZERO = 48

/** `…32.500Z` as the wire has it, `…32.5+00:00`: trailing zeros dropped, an offset and never `Z`. */
export function toWireTimestamp(iso: string): string {
  return `${iso.slice(0, fractionEnd(iso))}+00:00`
}

/** As PostgreSQL prints it as text: in CSV, and after `::text`. */
export function toTextTimestamp(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, fractionEnd(iso))}+00`
}

function fractionEnd(iso: string): number {
  let end = iso.length - 1
  while (end > DOT + 1 && iso.charCodeAt(end - 1) === ZERO) end--
  return end === DOT + 1 ? DOT : end
}
