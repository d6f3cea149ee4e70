/** What a visitor waits at most: a room that never answers costs no more. */
const HOLD_MS = 500

/**
 * A page that is left takes its rooms with it. Where they have a process of their own, that one may not have come to the
 * message of the click yet: a link that is a conversion is followed once every room that was told of it has answered.
 * Only what the browser would do in this very window waits, and a second click is followed at once.
 */
export class OutboundClickHold {
  #conversion = ''
  readonly #unanswered = new Set<string>()
  #link: HTMLAnchorElement | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    // In the page's last listeners: a promise that the ones before it resolved has told the rooms by then.
    addEventListener('click', (event) => this.#clicked(event))
    // A page that comes back must not go by itself.
    addEventListener('pagehide', () => this.#forget())
  }

  /** The newest one counts: it is the one by which a visitor leaves. */
  asked(conversion: string, rooms: readonly string[]): void {
    this.#conversion = conversion
    this.#unanswered.clear()
    for (const room of rooms) this.#unanswered.add(room)
  }

  answered(conversion: string, room: string): void {
    if (conversion !== this.#conversion) return
    this.#unanswered.delete(room)
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
    // The click has been seen by whoever counts clicks; the browser alone sees it again.
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

/** The link that this click opens in the page's own place; null for every other click. */
function followedHere(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return null
  // A script may send a click to the document itself.
  if (!(event.target instanceof Element)) return null
  const link = event.target.closest<HTMLAnchorElement>('a[href^=http]')
  return link && /^(_self)?$/.test(link.target) && !link.hasAttribute('download') ? link : null
}
