/** In the page: sums up layout shifts in `window.shifts`. */
export function noteShifts(): void {
  Object.assign(window, { shifts: 0 })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
    })[]) {
      if (!entry.hadRecentInput) (window as unknown as { shifts: number }).shifts += entry.value
    }
  }).observe({ type: 'layout-shift' })
}
