/** Calls `work` when the browser has nothing better to do, and after `timeout` (ms) all the same: some are never idle. */
export function whenIdle(work: (() => void) | ((idle?: IdleDeadline) => void), timeout = 1_000): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout })
  // Safari has no idle callback.
  else setTimeout(work, 50)
}
