import type { Pixel } from '#contract/pixel.ts'
import { healthLabel, type PixelHealth } from '#contract/tag-status.ts'

/** As the wire has it, with two more: what works and nobody could confirm, and what paused itself while nothing else is. */
export type Health = PixelHealth['health'] | 'unconfirmed' | 'tripped'

/** The order of "Problemas primeiro". */
export const HEALTHS: readonly Health[] = [
  'broken',
  'tripped',
  'partial',
  'waiting',
  'paused',
  'unconfirmed',
  'working',
  'off',
]

export function labelOfHealth(health: Health): string {
  if (health === 'unconfirmed') return healthLabel({ health: 'working', confirmed: false })
  if (health === 'tripped') return `${healthLabel({ health: 'paused', confirmed: true })} pelo disjuntor`
  return healthLabel({ health, confirmed: true })
}

/** Undefined while nobody knows: before the first answer, and between a switch and the next one. */
export function healthOf(
  { is_active }: Pick<Pixel, 'is_active'>,
  status: PixelHealth | undefined,
): Health | undefined {
  if (!is_active) return 'off'
  if (status === undefined || status.health === 'off') return undefined
  // Where everything is paused no pixel has a reason of its own.
  if (status.health === 'paused' && status.reasons.length > 0) return 'tripped'
  return status.health === 'working' && !status.confirmed ? 'unconfirmed' : status.health
}

/** What somebody must see to. */
export function isProblem(health: Health | undefined): boolean {
  return health === 'broken' || health === 'partial' || health === 'tripped'
}
