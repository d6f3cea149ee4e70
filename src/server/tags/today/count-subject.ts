import type { Conversion } from '#contract/conversion.ts'

/** What one visit chose: everything, nothing, or something between. */
export const CHOICES = ['accepted', 'partial', 'refused'] as const
export type Choice = (typeof CHOICES)[number]

/** All tags of a visit together, and what is not one tag's for certain; followed by a step of `cost/cost-step.ts`. */
export const COST_SUM_SUBJECT = 'cost:sum:'
export const COST_REST_SUBJECT = 'cost:rest:'

/** What is counted of the whole site. `told` are visits that ran a tag which tells of conversions. */
export type CountSubject =
  | `choice:${Choice}`
  | `conversion:${Conversion}`
  | 'told'
  | `${typeof COST_SUM_SUBJECT | typeof COST_REST_SUBJECT}${number}`
