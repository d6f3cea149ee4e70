import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, fromLetters } from '#contract/consent-choice.ts'

export function appendLink(rel: string, href: string): void {
  document.head.append(Object.assign(document.createElement('link'), { rel, href }))
}

const adopted = new Set<string>()

/**
 * Styles of what only a script can open, so that the page does not contain them. A constructed style sheet is no inline
 * style, so the page's policy allows it.
 */
export function adoptStyle(css: string): void {
  if (adopted.has(css)) return
  adopted.add(css)
  attempt(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    document.adoptedStyleSheets.push(sheet)
  })
}

/** A browser may lack what `work` needs: the rest of the page works without it. */
export function attempt(work: () => void): void {
  try {
    work()
  } catch {}
}

/** What a visitor did that tags may count. Links name it in `data-conversion`. */
export type ConversionName = 'sign_up' | 'lead' | 'contact'

export const CONVERSION_EVENT = 'portico:conversion'

export function announceConversion(name: ConversionName): void {
  document.dispatchEvent(new CustomEvent(CONVERSION_EVENT, { detail: { name } }))
}

declare global {
  interface Window {
    dataLayer?: unknown[]
    fbq?: (...command: unknown[]) => void
  }
}

/** Google's library recognises commands by the `arguments` object: an array would be ignored. */
export const gtag: (...command: unknown[]) => void = function () {
  window.dataLayer ??= []
  // biome-ignore lint/complexity/noArguments: see above.
  window.dataLayer.push(arguments)
}

/**
 * Makes each link open a dialog, with the role of a button; without scripts, or if the dialog cannot be loaded, it
 * leads to a page. `prepare` is called on `pointerdown`, before the click.
 */
export function openDialogs(
  links: Iterable<HTMLAnchorElement>,
  prepare: () => Promise<unknown>,
  open: (link: HTMLAnchorElement) => Promise<unknown>,
): void {
  for (const link of links) {
    link.role = 'button'
    link.ariaHasPopup = 'dialog'
    link.addEventListener('pointerdown', () => void prepare().catch(() => {}))
    link.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return
      event.preventDefault()
      link.click()
    })
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      open(link).catch(() => location.assign(link.href))
    })
  }
}

/** A random UUID. Plain http has no `crypto.randomUUID`, but `getRandomValues`. */
export function randomId(): string {
  if ('randomUUID' in crypto) return crypto.randomUUID()
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) => {
    const random = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0
    return (Number(digit) ^ (random & (15 >> (Number(digit) / 4)))).toString(16)
  })
}

/** The tags of this page, as named on its root element. */
export interface TagSet {
  /** Optional categories with an active tag. */
  inUse: ConsentCategory[]
  /** Names the manifest; empty if there is no tag. */
  version: string
  /** Version of the text on the page. */
  textVersion: number
  /** Deletes what tags left after consent is withdrawn. Loaded with the tags, or on demand. */
  deleteLeftovers(): Promise<void>
}

export function readTagSet(deleteLeftovers: TagSet['deleteLeftovers']): TagSet {
  const { tags: version = '', tagKinds = '', text = CONSENT_TEXT_VERSION } = document.documentElement.dataset
  return { inUse: fromLetters(tagKinds), version, textVersion: +text, deleteLeftovers }
}

/** Calls `work` when the browser is idle, and after `timeout` (ms) at the latest: some are never idle. */
export function whenIdle(work: (() => void) | ((idle?: IdleDeadline) => void), timeout = 1_000): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout })
  // Safari has no idle callback.
  else setTimeout(work, 50)
}
