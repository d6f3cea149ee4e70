/** What Ctrl+Z would take back, the latest last: as long as its message is on the screen. */
const offers = new Map<string, () => void>()

export function offerUndo(id: string, undo: () => void): void {
  offers.delete(id)
  offers.set(id, undo)
}

export function forgetUndo(id: string): void {
  offers.delete(id)
}

const OWN_UNDO = 'input, textarea, select, [contenteditable]'

/** Ctrl+Z (⌘Z on a Mac) anywhere but in a field, which has an undoing of its own, and not under an open dialog. */
export function watchUndoKey(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (
      event.key.toLowerCase() !== 'z' ||
      !(event.ctrlKey || event.metaKey) ||
      event.shiftKey ||
      event.altKey
    )
      return
    if (event.target instanceof Element && event.target.closest(`${OWN_UNDO}, [role$="dialog"]`)) return
    const latest = [...offers].at(-1)
    if (latest === undefined) return
    event.preventDefault()
    offers.delete(latest[0])
    latest[1]()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
