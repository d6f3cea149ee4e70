import { healthOf, isProblem } from '../pixel-health.ts'
import { useTagOverview } from './tag-overview.ts'

/** How many pixels have a problem; undefined while nobody knows. */
export function useProblemCount(): number | undefined {
  return useTagOverview(
    (overview) => overview.pixels.filter((status) => isProblem(healthOf({ is_active: true }, status))).length,
  ).data
}
