/** The id of the inert `<script type="application/json">` element that the server writes into the dashboard's HTML. */
export const ADMIN_BOOT_ELEMENT_ID = 'portico-boot'

/**
 * The data that the dashboard gets as it loads. The app reads it once and removes the element, so that nothing finds a
 * session in the document later.
 */
export interface AdminBoot {
  brandName: string
  /** Address of the public page, for "Ver o site". */
  siteUrl: string
  /** The public key (role `anon`), sent with every auth and data call as `apikey`. */
  anonKey: string
  /** A new session for this tab if the navigation had a valid login cookie; the protocol's session object. */
  session: unknown
  /** True while page and dashboard share one origin; the dashboard warns about it when risky tags run. */
  sharedOrigin: boolean
  /** False on plain http except on the local machine: the login cookie cannot be kept. */
  secureContext: boolean
  /** False without a mail server: emails are written to a folder of the server. */
  canMail: boolean
  /** Set only by `npm run demo`: the data is invented. */
  demonstration?: true
}

/** What is missing for production: an element of `GET /admin/api/notices`, for administrators. */
export interface ProductionGap {
  code: string
  /** A whole Portuguese sentence that says what to do. */
  message: string
}

/** A current problem that needs a person. `clock_jumped` can be confirmed with `POST /admin/api/clock/confirm`. */
export interface InstallationProblem {
  code: 'clock_jumped' | 'clock_differs' | 'database_damaged'
  message: string
}

/** What a new installation still needs. Whether there is a pixel, the list knows. */
export interface FirstSteps {
  /** A tag ran in a visit, or somebody tested one. */
  tested: boolean
  /** Of the caller. */
  second_factor: boolean
  mail: boolean
  https: boolean
  /** The privacy policy names the company and a contact. */
  data_contact: boolean
  /** The caller does not want to see them. */
  hidden: boolean
}

/** Key in the metadata of a person who does not want to see the first steps. */
export const HIDES_FIRST_STEPS = 'hides_first_steps'

/** Key in the metadata of a person who keeps the password that the program made. */
export const KEEPS_PASSWORD = 'keeps_generated_password'

export interface Notices {
  gaps: ProductionGap[]
  problems: InstallationProblem[]
  /** Null for a key, and in a demonstration. */
  first_steps: FirstSteps | null
  /** The caller signs in with a password that the program made, and was not asked about it yet. */
  offers_password: boolean
}
