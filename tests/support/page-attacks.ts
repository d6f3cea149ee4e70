/** What a tag can do to the page and its visitor, named as in `docs/reports/attacks.md`. */
export const PAGE_ATTACKS = {
  typing: 'read the newsletter field while it is typed into',
  autofill: 'read what the browser filled into it',
  address: 'read an address with something private in it',
  choice: 'read and change the choice about cookies',
  draw: 'draw a login over the page',
  'overlay-link': 'place its own link over "Abrir Conta"',
  'focus-loop': 'take the keyboard in a loop',
  'focus-timer': 'take the keyboard by a timer',
  'focus-nested': 'take the keyboard from a frame inside its own',
  'focus-click': 'catch a click on the page in its own document',
  'navigate-tab': 'navigate the tab elsewhere',
  opener: 'navigate the window that opened the page elsewhere',
  'leave-frame': 'show another document of the site in its place',
  'swap-frame': 'reload itself under another address',
  'other-tag': 'send another tag a conversion that never happened',
  'other-frame': "read another tag's document",
  'forge-conversion': 'have a conversion counted that never happened',
  'forge-report': 'report on another tag',
  flood: 'flood the page with messages',
  'flood-large': 'block the page with messages of 50,000 objects each',
  'flood-nested': 'flood the page from a frame inside its own',
  history: "add entries to the tab's history",
  'fill-storage': 'fill the storage of the site with a megabyte',
  hog: 'block the page for three seconds',
} as const

export type PageAttack = keyof typeof PAGE_ATTACKS

/** After these the page or the frame is gone or changed. */
export const DESTRUCTIVE: ReadonlySet<PageAttack> = new Set([
  'choice',
  'draw',
  'overlay-link',
  'focus-loop',
  'focus-timer',
  'focus-nested',
  'navigate-tab',
  'opener',
  'leave-frame',
  'swap-frame',
  'flood',
  'flood-large',
  'flood-nested',
  'history',
  'hog',
])

/** The document's text where an attack from an isolated frame fails. */
export function inFrameWords(name: PageAttack): string {
  return name === 'focus-nested' ? 'fails: it is removed, and keys of that moment are lost to it' : 'fails'
}
