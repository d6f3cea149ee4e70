/**
 * Name of the `Server-Timing` metric of a 304: what the browser shows is its own copy of an earlier visit. A script can
 * read it before the first frame in every engine; `deliveryType` is Chromium's alone, and sizes are known too late.
 */
export const KEPT_TIMING = 'kept'

const HOUR_MS = 3_600_000

/** Where the site's days begin, for figures by day and for times in letters. Brasília time, whoever looks from wherever. */
export const SITE_TIME_ZONE = 'America/Sao_Paulo'

const DATE = new Intl.DateTimeFormat('en', {
  timeZone: SITE_TIME_ZONE,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
})

/** `2026-11-15`, as the site's clock has it. No locale's own order of the parts is the same in every browser. */
export function siteDate(time: number): string {
  const parts = DATE.formatToParts(time)
  const part = (name: 'year' | 'month' | 'day') => parts.find(({ type }) => type === name)?.value
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** When a date begins at the site, in whole hours. Where clocks are moved at midnight, with the first hour of that date. */
export function startOfSiteDate(date: string): number {
  // No zone is further than this from UTC; the first hour that has the date is its beginning.
  let time = Date.parse(`${date}T00:00:00Z`) - 14 * HOUR_MS
  while (siteDate(time) < date) time += HOUR_MS
  return time
}

export function startOfSiteDay(time: number): number {
  return startOfSiteDate(siteDate(time))
}

/** The beginning of the day after the one that begins at `start`. */
export function nextSiteDay(start: number): number {
  const date = siteDate(start)
  // Days have between 23 and 25 hours.
  let time = start + 23 * HOUR_MS
  while (siteDate(time) === date) time += HOUR_MS
  return time
}

/** Of an installation that names none. The picture for shared links is drawn with it at build time. */
export const DEFAULT_BRAND_NAME = 'Pórtico'

/** What the page and the dashboard may know of the installation: everything that names brand, contact or outside address. */
export interface SiteInfo {
  /** Public origin of the landing page, without a trailing slash. */
  readonly siteUrl: string
  readonly brandName: string
  readonly contactEmail: string
  readonly contactPhone: string
  /** Digits only, with country code, as wa.me wants it. */
  readonly whatsappNumber: string
  readonly loginUrl: string
  readonly registerUrl: string
  readonly linkedinUrl: string | null
  readonly instagramUrl: string | null
  /** Shown where the law wants them, when configured. */
  readonly legalName: string | null
  readonly cnpj: string | null
  readonly dpoEmail: string | null
  /** How long this installation keeps what it stores, in days; the privacy policy says so. */
  readonly retention: {
    readonly consentDays: number
    readonly auditDays: number
    readonly failedLoginDays: number
    readonly reportDays: number
  }
  /** Access logs are written, so the privacy policy names them. */
  readonly logsRequests: boolean
  /** An active pixel sends a hash of each subscriber's address, after consent: banner, form and policy say so. */
  readonly sendsEmail?: boolean
}
