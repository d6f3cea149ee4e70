import type { TagOverview } from '#contract/tag-status.ts'

/** How many pixels are how. */
export function countHealth({ pixels }: TagOverview): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { health } of pixels) counts.set(health, (counts.get(health) ?? 0) + 1)
  return counts
}
