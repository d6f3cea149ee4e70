import type { Conversion } from '#contract/conversions.ts'
import type { Storable } from '#server/http/limits.ts'

/** What one visit chose: everything, nothing, or something between. */
export const CHOICES = ['accepted', 'partial', 'refused'] as const
export type Choice = (typeof CHOICES)[number]

/** All tags of a visit together, and what is not one tag's for certain; followed by a step of `cost/cost-step.ts`. */
export const COST_SUM_SUBJECT = 'cost:sum:'
export const COST_REST_SUBJECT = 'cost:rest:'

/** Followed by what could not be stored. */
export const CEILING_SUBJECT = 'ceiling:'

/** What is counted of the whole site. `told` are visits that ran a tag which tells of conversions. */
export type CountSubject =
  | `choice:${Choice}`
  | `conversion:${Conversion}`
  | 'told'
  /** Turned away by an hourly ceiling. */
  | `${typeof CEILING_SUBJECT}${Storable}`
  | `${typeof COST_SUM_SUBJECT | typeof COST_REST_SUBJECT}${number}`
