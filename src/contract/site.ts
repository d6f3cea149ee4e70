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
