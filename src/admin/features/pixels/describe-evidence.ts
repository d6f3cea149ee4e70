import { formatAgo } from '#admin/lib/format-ago.ts'
import { formatCount } from '#contract/format-count.ts'
import type { TagStatus } from '#contract/tag-status.ts'
import type { Health } from './pixel-health.ts'

/** States that are judged from the visits of the last 24 hours. */
const JUDGED = new Set<Health>(['broken', 'partial', 'unconfirmed', 'working'])

const NO_BREAK = '\u00a0'

/** What visits reported of a pixel, with its base: "Rodou sem impedimento em 205 de 301 visitas, há 2 min". Null when none did. */
export function describeEvidence(
  { ran, blocked, failed, last_ran_at }: TagStatus,
  health: Health,
  now: number,
): string | null {
  // Not broken between its words, where the line is.
  const ago = last_ran_at === null ? null : formatAgo(last_ran_at, now).replaceAll(' ', NO_BREAK)
  if (!JUDGED.has(health)) return ago === null ? null : `Rodou pela última vez ${ago}`
  const visits = ran + blocked + failed
  if (visits === 0) return null
  // A tag that our policy kept from sending has run as well: what is counted is that nothing stopped it.
  const start = ran < visits ? `Rodou sem impedimento em ${ran.toLocaleString('pt-BR')} de` : 'Rodou em'
  const counted = `${start} ${formatCount(visits, 'visita', 'visitas')}`
  return ran > 0 && ago !== null ? `${counted}, ${ago}` : counted
}
