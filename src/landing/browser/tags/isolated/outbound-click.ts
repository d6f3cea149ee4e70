/** How long a visitor waits at most. */
const HOLD_MS = 500

/**
 * Leaving the page removes its frames. If they run in their own process, the message of the click may not have been
 * read yet: a conversion link is followed once every frame that got it has answered. Only clicks that navigate this
 * window wait, and a second click is followed at once.
 */
export class OutboundClickHold {
  #conversion = ''
  readonly #unanswered = new Set<string>()
  #link: HTMLAnchorElement | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    // Among the page's last listeners: promises resolved by earlier ones have passed the conversion on by then.
    addEventListener('click', (event) => this.#clicked(event))
    // A page that comes back must not navigate by itself.
    addEventListener('pagehide', () => this.#forget())
  }

  /** The newest conversion counts: it is the one with which a visitor leaves. */
  asked(conversion: string, frames: readonly string[]): void {
    this.#conversion = conversion
    this.#unanswered.clear()
    for (const frame of frames) this.#unanswered.add(frame)
  }

  answered(conversion: string, frame: string): void {
    if (conversion !== this.#conversion) return
    this.#unanswered.delete(frame)
    if (this.#unanswered.size === 0) this.#follow()
  }

  #clicked(event: MouseEvent): void {
    const link = followedHere(event)
    if (link === null) return
    if (this.#link !== undefined) {
      this.#forget()
    } else if (link.dataset.conversion !== undefined && this.#unanswered.size > 0) {
      event.preventDefault()
      this.#link = link
      this.#timer = setTimeout(() => this.#follow(), HOLD_MS)
    }
  }

  #follow(): void {
    const link = this.#link
    this.#forget()
    // The click has been counted; only the browser sees it again.
    const keep = (event: Event) => event.stopImmediatePropagation()
    addEventListener('click', keep, true)
    link?.click()
    removeEventListener('click', keep, true)
  }

  #forget(): void {
    clearTimeout(this.#timer)
    this.#link = undefined
  }
}

/** The link that this click opens in the same window; null for every other click. */
function followedHere(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return null
  // A script may send a click to the document itself.
  if (!(event.target instanceof Element)) return null
  const link = event.target.closest<HTMLAnchorElement>('a[href^=http]')
  return link && /^(_self)?$/.test(link.target) && !link.hasAttribute('download') ? link : null
}
