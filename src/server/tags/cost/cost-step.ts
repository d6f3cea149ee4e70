import { TAG_COST_MAX } from '#contract/tag-cost.ts'

/** Ten to a decade, about a quarter apart; a browser lists no script under five milliseconds. */
const IN_A_DECADE = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80]
const STEPS = [5, 6, 8]
  .concat([1, 10, 100, 1_000].flatMap((decade) => IN_A_DECADE.map((step) => step * decade)))
  .filter((step) => step <= TAG_COST_MAX)

/** The step of the histogram that a time belongs to, named by its lower end: what is read from it is never too much. */
export function costStep(ms: number): number {
  return STEPS.findLast((step) => step <= ms) ?? 0
}
