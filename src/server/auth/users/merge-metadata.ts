/** The protocol's merge: keys are added or replaced one by one, and null removes one. */
export function mergeMetadata(
  current: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...current, ...change }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}
