/** Calls `work` when the browser has nothing better to do, with `timeout` (ms) at the latest after that. */
export function whenIdle(work: () => void, timeout?: number): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work, timeout ? { timeout } : undefined)
  // Safari has no idle callback.
  else setTimeout(work, 50)
}
