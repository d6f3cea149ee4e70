import { validationFailed } from '../protocol/auth-error.ts'
import { fitsMetadata, METADATA_TOO_LARGE } from '../protocol/read-body.ts'

/** The protocol's merge: keys are added or replaced one by one, and null removes one. */
export function mergeMetadata(
  current: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...current, ...change }
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  if (Object.keys(change).length > 0 && !fitsMetadata(kept)) throw validationFailed(METADATA_TOO_LARGE)
  return kept
}
