import type { OptionalCategory } from '#contract/consent.ts'
import type { Conversion } from '#contract/conversions.ts'
import type { HostDirective } from '#contract/tag-status.ts'

/**
 * Without a scheme, except `wss://`; `*.vendor.com` only if the vendor documents it. `{id}` is the account's ID without
 * its prefix; a host with any other `{…}` belongs to the customer and comes from the code.
 */
export type VendorHosts = Partial<Record<HostDirective, readonly string[]>>

/** The name of a cookie or storage key: exact, prefix or pattern. */
export type NameRule =
  | { exact: string }
  | { prefix: string; sample: string }
  | { pattern: RegExp; sample: string }

interface VendorCookie {
  name: NameRule
  /** In words, for the cookie policy. */
  duration: string
  purpose: string
}

interface VendorStorageKey {
  area: 'local' | 'session'
  key: NameRule
  /** Written by the site's owner, not by the vendor: never deleted. */
  readOnly?: true
}

/** How a conversion is sent to a vendor's script. */
export interface VendorConversion {
  /** A function of the page: `fbq`, `ttq.track`, `_tfa.push`. */
  call: string
  /** The vendor's own names, as its reports show them; `$label` for the form's label. */
  events: Record<Conversion, string>
  /** Names that the vendor still accepts: pasted code may use them. */
  formerEvents?: readonly string[]
  /** The arguments; `$id` is the conversion's ID, `$account` the pixel's, `$label` the form's label. */
  args: Record<Conversion, readonly unknown[]>
  /** If the vendor identifies conversions by label: its name there and an example. Without one nothing is sent. */
  label?: { name: string; example: string }
}

/** Snippets are a few kilobytes; what follows is judged by its hosts only. */
const READ_CHARACTERS = 65_536

/** The text for a vendor's patterns: runs of white space become one space, so that no pattern needs to repeat it. */
export function toMatchedText(code: string): string {
  return code.replace(/\s+/g, ' ').slice(0, READ_CHARACTERS)
}

/** What is known of one vendor: how a paste is recognised, its hosts, and what it leaves in the browser. */
export interface Vendor {
  id: string
  kind: 'script' | 'link' | 'meta'
  name: string
  company: string
  /** ISO 3166-1. */
  country: string
  /** One sentence for the cookie policy. */
  purpose: string
  /** Null for what does not track: verification metas. */
  category: OptionalCategory | null
  /**
   * Any of these identifies the vendor. All patterns are matched against `toMatchedText` and are linear: recheck
   * verifies each.
   */
  signs: readonly RegExp[]
  /** The first match captures the account's ID. */
  ids: readonly RegExp[]
  idLabel: string | null
  /** If events are pasted separately from the base tag: what only the base tag has. */
  base?: RegExp
  /** A second value that the vendor needs, such as a conversion's label. */
  extra?: readonly { label: string; pattern: RegExp }[]
  /** The core of a snippet, with an invented ID. */
  sample: { code: string; id: string | null }
  hosts: VendorHosts
  /** Needed only while a feature of the vendor is on. */
  optionalHosts?: readonly { when: string; hosts: VendorHosts }[]
  /**
   * Where its page view is sent, as far as a page can see it (not by socket, worker or form). `showsId` if the address
   * contains the account, which distinguishes two pixels of one vendor, and one that never sends. `byScript` for a
   * container, whose loading is all that can be seen.
   */
  pageView?: { hosts: readonly string[]; showsId: boolean; byScript?: true }
  conversion?: VendorConversion
  /** A call made before the tag runs. It marks what follows as a test, which the vendor shows in `shownIn`. */
  testMode?: { call: string; args: readonly unknown[]; shownIn: string }
  /**
   * In an isolated frame: `works` if page view and conversions of its stand-in arrive, else what it needs of the page,
   * as in "Hotjar grava …". Absent if not tested.
   */
  isolated?: 'works' | { needs: string }
  /** Suffixes of all host names of this vendor, to name unknown ones. */
  suffixes: readonly string[]
  cookies: readonly VendorCookie[]
  /** Set on the vendor's own domain: listed in the policy, but not deletable by us. */
  thirdPartyCookies: readonly { name: string; domain: string; duration: string }[]
  storage: readonly VendorStorageKey[]
  /** Advice for the person who pasted it. */
  advice?: string
}
