import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { currencyDigits } from '#contract/currencies.ts'
import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { OUTCOME_ID_DAYS, type OutcomeRefusalCode } from '#contract/outcomes.ts'
import { OUTCOMES } from '../http/limits/limits.ts'

/** One outcome of a call, checked and normalised. */
export interface Outcome {
  name: string
  id: string
  /** As sent: whether it is known is another question. */
  visit: string | null
  /** Exact: the value in the currency's smallest unit. */
  value: { currency: string; amount: number } | null
  /** When it happened. */
  at: number
  /** Hashes of the person's address, for platforms that take them. */
  emailSha256: string | null
  emailSha256Google: string | null
  /** Equal for the same fields, however they are spelled. */
  contentHash: string
}

interface Refusal {
  code: OutcomeRefusalCode
  field?: string
  message: string
}

export type ReadOutcome = { outcome: Outcome } | { refusal: Refusal }

const MAX_AGE_MS = OUTCOME_ID_DAYS * DAY_MS
/** Clocks of two servers differ. */
const MAX_AHEAD_MS = 5 * MINUTE_MS

const FIELDS = [
  'name',
  'id',
  'visit',
  'value',
  'currency',
  'time',
  'email_sha256',
  'email_sha256_google',
] as const
type Field = (typeof FIELDS)[number]

/** No control, invisible or unpaired characters: PostgreSQL cannot store some of them, and nobody can see the others. */
const TEXT = /^[^\p{C}]{1,64}$/u
const SHA256 = /^[0-9a-f]{64}$/i
const DECIMAL = /^(\d{1,20})(?:\.(\d{1,20}))?$/
const TIME = z.iso.datetime({ offset: true })

class Refused extends Error {
  readonly refusal: Refusal

  constructor(code: OutcomeRefusalCode, field: string | undefined, message: string) {
    super(message)
    this.refusal = { code, ...(field === undefined ? {} : { field }), message }
  }
}

/** Checks one item of `POST /api/outcomes`. The first problem found is the refusal. */
export function readOutcome(item: unknown, names: ReadonlySet<string>, now: number): ReadOutcome {
  try {
    return { outcome: read(item, names, now) }
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.refusal }
    throw error
  }
}

/** A field that can be shown although its outcome was refused; else null. */
export function readable(item: unknown, field: 'name' | 'id' | 'value' | 'currency'): string | null {
  if (!isObject(item)) return null
  const value = field === 'value' && typeof item[field] === 'number' ? String(item[field]) : item[field]
  return typeof value === 'string' && TEXT.test(value) ? value : null
}

function read(item: unknown, names: ReadonlySet<string>, now: number): Outcome {
  if (!isObject(item)) throw new Refused('not_an_object', undefined, 'An outcome is a JSON object')
  const unknown = Object.keys(item).find((name) => !(FIELDS as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new Refused(
      'unknown_field',
      unknown.slice(0, 64),
      `There is no such field; use ${FIELDS.join(', ')}`,
    )
  const fields = item as Partial<Record<Field, unknown>>
  const outcome = {
    name: readName(fields, names),
    id: readText(fields, 'id') ?? missing('id', 'Give the outcome an id of your own'),
    visit: readText(fields, 'visit'),
    value: readValue(fields),
    emailSha256: readHash(fields, 'email_sha256'),
    emailSha256Google: readHash(fields, 'email_sha256_google'),
  }
  const time = readTime(fields, now)
  // The time of a call without one is not content: the same call again is the same outcome.
  const contentHash = createHash('sha256')
    .update(JSON.stringify({ ...outcome, time }))
    .digest('base64url')
  return { ...outcome, at: time ?? now, contentHash }
}

function isObject(item: unknown): item is Record<string, unknown> {
  return typeof item === 'object' && item !== null && !Array.isArray(item)
}

/** Null counts as absent: many serializers write it. */
function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function missing(field: Field, message: string): never {
  throw new Refused('missing_field', field, message)
}

function invalid(field: Field, message: string): never {
  throw new Refused('invalid_field', field, message)
}

function readName({ name }: Partial<Record<Field, unknown>>, names: ReadonlySet<string>): string {
  if (isAbsent(name)) return missing('name', 'Give the outcome a name')
  if (typeof name !== 'string') return invalid('name', 'A name is text')
  if (!names.has(name))
    throw new Refused('unknown_name', 'name', 'No outcome of this name is declared in the dashboard')
  return name
}

function readText(fields: Partial<Record<Field, unknown>>, field: 'id' | 'visit'): string | null {
  const value = fields[field]
  if (isAbsent(value)) return null
  if (typeof value !== 'string' || !TEXT.test(value))
    return invalid(field, 'It must be text of 1 to 64 characters, without control characters')
  return value
}

function readHash(fields: Partial<Record<Field, unknown>>, field: Field): string | null {
  const value = fields[field]
  if (isAbsent(value)) return null
  if (typeof value !== 'string' || !SHA256.test(value))
    return invalid(field, 'It must be a SHA-256 hash of 64 hexadecimal digits')
  return value.toLowerCase()
}

function readValue({ value, currency }: Partial<Record<Field, unknown>>): Outcome['value'] {
  if (isAbsent(value) && isAbsent(currency)) return null
  if (isAbsent(value)) return missing('value', 'A currency needs a value')
  if (isAbsent(currency)) return missing('currency', 'A value needs a currency, such as "BRL"')
  const digits = typeof currency === 'string' ? currencyDigits(currency) : null
  if (typeof currency !== 'string' || digits === null)
    return invalid('currency', 'It must be a code of ISO 4217 in capitals, such as "BRL"')
  const text = typeof value === 'number' ? String(value) : value
  const [, whole = '', fraction = ''] = (typeof text === 'string' && DECIMAL.exec(text)) || []
  if (whole === '') return invalid('value', 'It must be a decimal number of 0 or more, such as "189.90"')
  if (/[1-9]/.test(fraction.slice(digits)))
    return invalid('value', `${currency} has ${digits} digits after the point; round the value yourself`)
  const units = `${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`.replace(/^0+(?=\d)/, '')
  if (units.length > OUTCOMES.valueDigits)
    return invalid('value', `It must have at most ${OUTCOMES.valueDigits} digits in the smallest unit`)
  return { currency, amount: Number(units) }
}

function readTime({ time }: Partial<Record<Field, unknown>>, now: number): number | null {
  if (isAbsent(time)) return null
  if (!TIME.safeParse(time).success)
    return invalid('time', 'It must be a time of ISO 8601 with a zone, such as "2026-11-18T14:20:00-03:00"')
  const at = Date.parse(time as string)
  if (at < now - MAX_AGE_MS)
    throw new Refused('too_old', 'time', `It may be at most ${OUTCOME_ID_DAYS} days ago`)
  if (at > now + MAX_AHEAD_MS)
    throw new Refused('too_far_ahead', 'time', 'It may be at most 5 minutes ahead of our clock')
  return at
}
