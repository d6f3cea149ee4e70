/** What a visitor reads as the code of their choice: twelve digits of the random id, enough to find it and too few to act as it. */
export function consentCode(consentId: string): string {
  return consentId.slice(0, 13).toUpperCase()
}

/** The ids that a code can mean, as the lowest and the highest; null when it is none. A whole id is a code as well. */
export function parseConsentCode(code: string): { from: string; to: string } | null {
  const digits = code.trim().toLowerCase().replaceAll(/[\s-]/g, '')
  if (!/^(?:[0-9a-f]{12}|[0-9a-f]{32})$/.test(digits)) return null
  return { from: toId(digits.padEnd(32, '0')), to: toId(digits.padEnd(32, 'f')) }
}

function toId(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
