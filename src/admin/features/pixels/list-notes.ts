import type { HealthReason } from '#contract/tag-status.ts'
import type { BlockedLine } from './list-blocked-lines.ts'

export type PixelNote =
  | { kind: 'reason'; key: string; reason: HealthReason }
  | { kind: 'blocked'; key: string; line: BlockedLine }

/**
 * What is to be said about a pixel, the most important first. Hosts that the policy stopped come as a reason each and in
 * lines by vendor: the lines take the reasons' place, so that one click permits a vendor's set.
 */
export function listNotes(reasons: readonly HealthReason[], lines: readonly BlockedLine[]): PixelNote[] {
  const inLines = new Set(lines.flatMap(({ hosts }) => hosts))
  const isInLine = ({ code, host }: HealthReason) =>
    code === 'stopped_by_policy' && host !== undefined && inLines.has(host)
  const blocked = lines.map((line): PixelNote => ({ kind: 'blocked', key: line.key, line }))
  const first = reasons.findIndex(isInLine)
  const before = first === -1 ? reasons : reasons.slice(0, first)
  const after = first === -1 ? [] : reasons.slice(first).filter((reason) => !isInLine(reason))
  return [...before.map(toNote), ...blocked, ...after.map(toNote)]
}

function toNote(reason: HealthReason): PixelNote {
  return { kind: 'reason', key: `${reason.code} ${reason.message}`, reason }
}
