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
  /** A pixel is active that passes the address of a subscription on, as a hash and after consent: banner and policy say so. */
  readonly sendsEmail?: boolean
}
