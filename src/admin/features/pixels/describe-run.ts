import { formatAgo } from '#admin/lib/format-ago.ts'
import type { TagStatus } from '#contract/tag-status.ts'
import { explainScriptError } from './explain-script-error.ts'

export interface RunDescription {
  text: string
  tone: 'quiet' | 'good' | 'warn' | 'bad'
  /** A script's own words, for whoever wrote it. */
  original?: string
}

/** Fewer blocked visits than this are ad blockers, as everywhere. */
const BLOCKED_SHARE = 0.1
const FAILED_SHARE = 0.5

/** What a person should know of a pixel at a glance; null when there is nothing to say. */
export function describeRun(
  { runnable, ran, blocked, failed, last_ran_at, last_error }: TagStatus,
  { active, paused, now }: { active: boolean; paused: boolean; now: number },
): RunDescription | null {
  const last: RunDescription | null =
    last_ran_at === null ? null : { text: `Rodou ${formatAgo(last_ran_at, now)}`, tone: 'quiet' }
  if (!active) return last
  if (!runnable) return { text: 'Sem código: não roda', tone: 'bad' }
  if (paused) return { text: 'Pausado', tone: 'warn' }
  const visits = ran + blocked + failed
  if (visits > 0 && failed / visits >= FAILED_SHARE) {
    const original = last_error === null ? {} : { original: last_error }
    return { text: `Falhou: ${explainScriptError(last_error ?? '')}`, tone: 'bad', ...original }
  }
  if (visits > 0 && blocked / visits >= BLOCKED_SHARE) {
    return { text: `Bloqueado em ${Math.round((blocked / visits) * 100)}% das visitas`, tone: 'warn' }
  }
  return last === null ? { text: 'Nunca rodou', tone: 'quiet' } : { ...last, tone: 'good' }
}
