import type { PixelType } from './pixel.ts'

/**
 * Where the code of a custom pixel runs: in the page itself, or in a frame of an opaque origin that is fed with
 * conversions only. The other types always run in the page.
 */
export const PIXEL_RUNS_IN = ['page', 'isolated'] as const
export type PixelRunsIn = (typeof PIXEL_RUNS_IN)[number]

export const RUNS_IN_LABELS: Record<PixelRunsIn, string> = { page: 'Na página', isolated: 'Isolada' }

export function mayBeIsolated(type: PixelType): boolean {
  return type === 'custom'
}

/** What the form proposes for a code, and why, in a sentence. */
export interface RunsInProposal {
  runs_in: PixelRunsIn
  reason: string
}
