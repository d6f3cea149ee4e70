import type { ConsentCategory } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, fromLetters } from '#contract/consent-choice.ts'

export function appendLink(rel: string, href: string): void {
  document.head.append(Object.assign(document.createElement('link'), { rel, href }))
}

const adopted = new Set<string>()

/**
 * What only a script can open comes with its own style, so that the page does not carry it. A constructed style sheet
 * is no inline style: the page's policy, which names styles by hash, allows it.
 */
export function adoptStyle(css: string): void {
  if (adopted.has(css)) return
  adopted.add(css)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
}

/** What a visitor did that a tag may want to count. Links carry the name in `data-conversion`. */
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

/** Google's library tells a command from data by its being an `arguments` object: an array would be ignored. */
export const gtag: (...command: unknown[]) => void = function () {
  window.dataLayer ??= []
  // biome-ignore lint/complexity/noArguments: see above.
  window.dataLayer.push(arguments)
}

/**
 * Makes each link open a dialog, with the role of a button that does; without scripts, and when the dialog cannot be
 * loaded, it leads to a page. `prepare` is called on `pointerdown`, before the click.
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

/** A random UUID. Plain http has no `crypto.randomUUID`, but it has `getRandomValues`. */
export function randomId(): string {
  if ('randomUUID' in crypto) return crypto.randomUUID()
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) => {
    const random = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0
    return (Number(digit) ^ (random & (15 >> (Number(digit) / 4)))).toString(16)
  })
}

/** The tags of this page, as its root element names them. */
export interface TagSet {
  /** Optional categories that have a tag. */
  inUse: ConsentCategory[]
  /** Names the manifest; empty when there is no tag. */
  version: string
  /** Of the words that the page asks with. */
  textVersion: number
  /** Deletes what tags left, once their consent is taken back. Loaded with the tags, or when it is needed. */
  deleteLeftovers(): Promise<void>
}

export function readTagSet(deleteLeftovers: TagSet['deleteLeftovers']): TagSet {
  const { tags: version = '', tagKinds = '', text = CONSENT_TEXT_VERSION } = document.documentElement.dataset
  return { inUse: fromLetters(tagKinds), version, textVersion: +text, deleteLeftovers }
}

/** Calls `work` when the browser has nothing better to do, and after `timeout` (ms) all the same: some are never idle. */
export function whenIdle(work: (() => void) | ((idle?: IdleDeadline) => void), timeout = 1_000): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout })
  // Safari has no idle callback.
  else setTimeout(work, 50)
}

/** What a vendor reads from the address of a page that an advertisement led to. */
const CAMPAIGN = /^(utm_\w+|[a-z]{0,3}clid|msclkid|[gw]braid|li_fat_id|epik|rdt_cid|sccid|tblci|click_id)$/i

const MAX_LENGTH = 1_500

/** Everything else in the address stays out of the rooms. */
export function campaignOfPage(): string {
  const campaign = new URLSearchParams(
    [...new URLSearchParams(location.search)].filter(([name]) => CAMPAIGN.test(name)),
  ).toString()
  return campaign === '' || campaign.length > MAX_LENGTH ? '' : `?${campaign}`
}
