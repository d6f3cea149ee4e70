import type { OptionalCategory } from '#contract/consent.ts'
import type { Conversion } from '#contract/conversions.ts'
import type { HostDirective } from '#contract/tag-status.ts'

/**
 * Without a scheme, but for `wss://`; `*.vendor.com` only where the vendor's own documentation says so. `{id}` is the
 * account's ID without its prefix; a host with any other `{…}` is the customer's own and comes from the pasted code.
 */
export type VendorHosts = Partial<Record<HostDirective, readonly string[]>>

/** A name that a vendor gives to a cookie or a storage key: the whole of it, how it begins, or its pattern. */
export type NameRule =
  | { exact: string }
  | { prefix: string; sample: string }
  | { pattern: RegExp; sample: string }

interface VendorCookie {
  name: NameRule
  /** In words for the cookie policy. */
  duration: string
  purpose: string
}

interface VendorStorageKey {
  area: 'local' | 'session'
  key: NameRule
  /** Written by the site's owner, not by the vendor: never deleted. */
  readOnly?: true
}

/** How a vendor's script is told of a conversion. */
export interface VendorConversion {
  /** A function of the page: `fbq`, `ttq.track`, `_tfa.push`. */
  call: string
  /** The vendor's own name of each, as its reports show it; `$label` where that is what the form asked for. */
  events: Record<Conversion, string>
  /** What it is called with; `$id` is the conversion's own ID, `$account` the pixel's, `$label` what the form asked for. */
  args: Record<Conversion, readonly unknown[]>
  /** Where the vendor tells its conversions apart by a label, its name there and an example. Without one nothing is sent. */
  label?: { name: string; example: string }
}

/** Snippets are a few kilobytes; what stands further down is judged by its hosts alone. */
const READ_CHARACTERS = 65_536

/** What the patterns of a vendor are tried on: each run of white space is one space, so that none needs to repeat it. */
export function toMatchedText(code: string): string {
  return code.replace(/\s+/g, ' ').slice(0, READ_CHARACTERS)
}

/** What is known of one vendor: how a paste is recognised, whom it talks to, and what it leaves in the browser. */
export interface Vendor {
  id: string
  kind: 'script' | 'link' | 'meta'
  name: string
  company: string
  /** ISO 3166-1. */
  country: string
  /** One sentence for the cookie policy. */
  purpose: string
  /** Null for what is no tracker: verification metas. */
  category: OptionalCategory | null
  /** Any of these names the vendor. All patterns are tried on `toMatchedText`, and are linear: recheck judges each. */
  signs: readonly RegExp[]
  /** The first of these that matches captures the account's ID. */
  ids: readonly RegExp[]
  idLabel: string | null
  /** Where its events are pasted apart from the tag that counts visits: what only that tag has. */
  base?: RegExp
  /** A second value that the vendor needs, such as a conversion's label. */
  extra?: readonly { label: string; pattern: RegExp }[]
  /** The essence of a snippet, with an invented ID. */
  sample: { code: string; id: string | null }
  hosts: VendorHosts
  /** Needed only while a feature of the vendor is on. */
  optionalHosts?: readonly { when: string; hosts: VendorHosts }[]
  /**
   * Where its page view goes at once, as far as a page can see it (not by socket, worker or form). `showsId` when the
   * address names the account, which tells two pixels of one vendor apart, and one that never sends from one that does.
   * `byScript` for a container, whose coming is all that there is to see.
   */
  pageView?: { hosts: readonly string[]; showsId: boolean; byScript?: true }
  conversion?: VendorConversion
  /** A call made before the tag runs. It marks what follows as a test, which the vendor shows in `shownIn`. */
  testMode?: { call: string; args: readonly unknown[]; shownIn: string }
  /**
   * Inside a frame of an opaque origin: `works` where its stand-in's page view and conversions arrive from there, else
   * what it needs of the page, as in "Hotjar grava …". Absent where nobody tried.
   */
  isolated?: 'works' | { needs: string }
  /** The ends of all host names that are this vendor's, so that an unknown one can be named. */
  suffixes: readonly string[]
  cookies: readonly VendorCookie[]
  /** Set on the vendor's own domain: for the policy's text, out of our reach. */
  thirdPartyCookies: readonly { name: string; domain: string; duration: string }[]
  storage: readonly VendorStorageKey[]
  /** What the person who pasted it should read. */
  advice?: string
}
