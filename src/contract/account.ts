/** One place where a person is signed in: a browser with its tabs, or a program with a session of its own. */
export interface OwnLogin {
  id: string
  /** As the browser names itself. */
  user_agent: string
  /** The network that it signed in from: a /24 of IPv4, a /48 of IPv6; null when nobody knows. */
  address: string | null
  created_at: string
  last_used_at: string
  /** The one that asks. */
  current: boolean
}

/** `GET /admin/api/logins` */
export interface OwnLogins {
  logins: OwnLogin[]
}

/** `GET /admin/api/recovery-codes` and `POST /admin/api/recovery-codes/use` */
export interface RecoveryCodesLeft {
  left: number
}

/** `POST /admin/api/recovery-codes`: the only time that the codes are told. */
export interface NewRecoveryCodes {
  codes: string[]
}
