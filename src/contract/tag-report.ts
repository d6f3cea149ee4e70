export const TAG_REPORT_PATH = '/api/tags/report'
export const CSP_REPORT_PATH = '/api/csp-report'

export const TAG_OUTCOMES = ['ran', 'blocked', 'failed'] as const
export type TagOutcome = (typeof TAG_OUTCOMES)[number]

export const TAG_ERROR_MAX_LENGTH = 200
export const TAG_REPORT_MAX_RESULTS = 500

/** One beacon per visit. Nothing about the visitor. */
export interface TagReport {
  results: { id: string; outcome: TagOutcome; error?: string }[]
}
