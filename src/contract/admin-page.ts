/** The id of the inert `<script type="application/json">` element that the server writes into the dashboard's HTML. */
export const ADMIN_BOOT_ELEMENT_ID = 'portico-boot'

/**
 * What the server tells the dashboard as it loads. The app reads it once and removes the element, so that nothing
 * that looks at the document later finds a session in it.
 */
export interface AdminBoot {
  brandName: string
  /** Where the public page lives, for "Ver o site". */
  siteUrl: string
  /** The public key (role `anon`) that every auth and data call carries as `apikey`. */
  anonKey: string
  /** A fresh session for this tab when the navigation carried a valid login cookie; the protocol's session object. */
  session: unknown
  /** True while page and dashboard share one origin, which the dashboard warns about when risky tags run. */
  sharedOrigin: boolean
  /** False on plain http anywhere but this machine, where the login cookie cannot be kept. */
  secureContext: boolean
  /** False without a mail server: what would be mailed waits in a folder of the server. */
  canMail: boolean
}

/** What is missing for production: `GET /admin/api/notices` answers a list of them, for administrators. */
export interface ProductionGap {
  code: string
  /** A whole Portuguese sentence that says what to do. */
  message: string
}

/** Something is wrong now and waits for a person. `clock_jumped` can be confirmed with `POST /admin/api/clock/confirm`. */
export interface InstallationProblem {
  code: 'clock_jumped' | 'clock_differs' | 'database_damaged'
  message: string
}

export interface Notices {
  gaps: ProductionGap[]
  problems: InstallationProblem[]
}
