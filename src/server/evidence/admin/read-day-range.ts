import * as z from 'zod/mini'
import { CONSENT_MAX_DAYS } from '#contract/consent.ts'
import { siteDate } from '#contract/site.ts'
import { AppError } from '#server/http/app-error.ts'

const DAY_MS = 86_400_000
const YEARS = /^20[2-9]\d-/
const rangeSchema = z.object({ from: z.iso.date(), to: z.iso.date() })

export interface DayRange {
  from: string
  to: string
}

/** `from` and `to` of a query: days of the site, both included, the last no later than today. */
export function readDayRange(query: unknown, now = Date.now()): DayRange {
  const { from = '', to = '' } = rangeSchema.safeParse(query).data ?? {}
  const today = siteDate(now)
  if (!YEARS.test(from) || !YEARS.test(to) || from > to || from > today)
    throw new AppError(400, 'bad_request', 'O período não é válido.')
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= CONSENT_MAX_DAYS)
    throw new AppError(400, 'bad_request', `O período pode ter até ${CONSENT_MAX_DAYS} dias.`)
  return { from, to: to > today ? today : to }
}
