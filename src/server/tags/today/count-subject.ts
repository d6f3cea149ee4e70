import type { Conversion } from '#contract/conversion.ts'

/** What one visit chose: everything, nothing, or something between. */
export const CHOICES = ['accepted', 'partial', 'refused'] as const
export type Choice = (typeof CHOICES)[number]

/** What is counted of the whole site. `told` are visits that ran a tag which tells of conversions. */
export type CountSubject = `choice:${Choice}` | `conversion:${Conversion}` | 'told'
