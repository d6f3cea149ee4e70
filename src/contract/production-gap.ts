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
