import { HOUR_MS } from '#contract/durations.ts'
import type { SiteContent } from './site-content.ts'

/**
 * Name of the `Server-Timing` metric of a 304: the page comes from the browser's cache. A script can read it before the
 * first frame in every engine; `deliveryType` exists in Chromium only, and sizes are known too late.
 */
export const KEPT_TIMING = 'kept'

/** The zone of the site's days, for figures by day and times in emails. Brasília time, wherever the viewer is. */
export const SITE_TIME_ZONE = 'America/Sao_Paulo'

const DATE = new Intl.DateTimeFormat('en', {
  timeZone: SITE_TIME_ZONE,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** Dates by hour: most are asked for again, and formatting one takes some microseconds. */
const DATES = new Map<number, string>()
const DATES_MAX = 1_000

/** `2026-11-15` on the site's clock. */
export function siteDate(time: number): string {
  const hour = Math.floor(time / HOUR_MS)
  const known = DATES.get(hour)
  if (known !== undefined) return known
  if (DATES.size >= DATES_MAX) DATES.clear()
  const date = formatDate(hour * HOUR_MS)
  DATES.set(hour, date)
  return date
}

/** No locale has the same order of parts in every browser. */
function formatDate(time: number): string {
  const parts = DATE.formatToParts(time)
  const part = (name: 'year' | 'month' | 'day') => parts.find(({ type }) => type === name)?.value
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** Start of a date at the site, in whole hours. If clocks change at midnight, the first hour of that date. */
export function startOfSiteDate(date: string): number {
  // No zone is further from UTC; the first hour with the date is its start.
  let time = Date.parse(`${date}T00:00:00Z`) - 14 * HOUR_MS
  while (siteDate(time) < date) time += HOUR_MS
  return time
}

export function startOfSiteDay(time: number): number {
  return startOfSiteDate(siteDate(time))
}

/** Start of the next day after `start`. */
export function nextSiteDay(start: number): number {
  const date = siteDate(start)
  // Days have between 23 and 25 hours.
  let time = start + 23 * HOUR_MS
  while (siteDate(time) === date) time += HOUR_MS
  return time
}

/** Used if the configuration names none. The picture for shared links is drawn with it at build time. */
export const DEFAULT_BRAND_NAME = 'Pórtico'

/** The address of the registration as a QR code, drawn when the server starts. */
export const REGISTER_QR_PATH = '/assets/abrir-conta.png'

/** Drawings of the page that are loaded late. Their files are made when the server starts. */
export const PRODUCT_PICTURE_PATH = '/assets/produto.svg'
export const SHIELD_PICTURE_PATH = '/assets/escudo.svg'

/** Who gets hashed addresses. */
export interface EmailSharing {
  /** With their articles: `a Meta`, `o Google`. */
  readonly recipients: readonly string[]
  /** Also those of customers, which outcomes have. The text that names Meta alone speaks of subscribers only. */
  readonly ofCustomers: boolean
}

/** What page and dashboard may know of the installation: brand, contacts and external addresses. */
export interface SiteInfo {
  /** Public origin of the landing page, without a trailing slash. */
  readonly siteUrl: string
  readonly brandName: string
  readonly contactEmail: string
  readonly contactPhone: string
  /** Digits only, with country code, as wa.me requires. */
  readonly whatsappNumber: string
  readonly loginUrl: string
  readonly registerUrl: string
  readonly linkedinUrl: string | null
  readonly instagramUrl: string | null
  /** Shown where the law requires it, if configured. */
  readonly legalName: string | null
  readonly cnpj: string | null
  readonly dpoEmail: string | null
  /** Retention in days, as stated in the privacy policy. */
  readonly retention: {
    readonly consentDays: number
    readonly auditDays: number
    readonly failedLoginDays: number
    readonly reportDays: number
    readonly visitDays: number
  }
  /** Visits and clicks are counted, so the privacy policy says how. */
  readonly countsVisits: boolean
  /** Access logs are written, so the privacy policy names them. */
  readonly logsRequests: boolean
  /** Active pixels send hashed addresses after consent: banner, form and policy say to whom. */
  readonly emailSharing?: EmailSharing | null
  /** What the site's content file says, on the public pages. */
  readonly content?: SiteContent | null
}
