const KEY = 'portico-dismissed-notices'

/** Codes of notices that this browser need not show again: nothing about the person. */
export function dismissedNotices(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.map(String) : []
  } catch {
    return []
  }
}

export function dismissNotices(codes: string[]): string[] {
  try {
    localStorage.setItem(KEY, JSON.stringify(codes))
  } catch {
    // A browser that keeps nothing shows them again the next time.
  }
  return codes
}
