import type { OptionalCategory } from './consent.ts'

/** Stores the code of a visit, which links to the app carry in `VISIT_PARAMETER`. */
export const VISITS_PATH = '/api/visits'

/** Also the key in the tab's storage of code and campaign, so that other pages of the site use the same code. */
export const VISIT_PARAMETER = 'portico_visit'

export const VISIT_CODE_DAYS = 90

/** Random: 128 bits in hexadecimal digits, which no messenger formats. */
export const VISIT_CODE = /^v_[0-9a-f]{32}$/

/** One of these categories is enough for a visit code. */
export function allowsVisitCode(granted: readonly string[]): boolean {
  return VISIT_CATEGORIES.some((category) => granted.includes(category))
}

export const VISIT_CATEGORIES: readonly OptionalCategory[] = ['desempenho', 'marketing']
