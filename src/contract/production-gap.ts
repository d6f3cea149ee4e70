/** What is missing for production: `GET /admin/api/notices` answers a list of them, for administrators. */
export interface ProductionGap {
  code: string
  /** A whole Portuguese sentence that says what to do. */
  message: string
}

export interface Notices {
  gaps: ProductionGap[]
}
