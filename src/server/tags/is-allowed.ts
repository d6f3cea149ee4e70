import type { TagSources } from '../http/content-security-policy.ts'
import type { Violation } from './read-violation.ts'
import { isSocketSource, matchesSource } from './source-keys.ts'

/** True for a violation of a policy that the page no longer has. */
export function isAllowed(
  { host, use, isSocket }: Pick<Violation, 'host' | 'use' | 'isSocket'>,
  sources: TagSources,
): boolean {
  return sources[use].some((source) => isSocketSource(source) === isSocket && matchesSource(host, source))
}
