/** What a tag can do to the page and its visitor where it runs in it, in the words of `docs/security.md`. */
export const PAGE_ATTACKS = {
  typing: 'read the newsletter field while it is typed into',
  autofill: 'read what the browser filled into it',
  address: 'read an address with something private in it',
  choice: 'read and change the choice about cookies',
  draw: 'draw a login over the page',
  'overlay-link': 'lay a link of its own over "Abrir Conta"',
  'focus-loop': 'take the keyboard in a loop',
  'focus-timer': 'take the keyboard by a timer',
  'focus-nested': 'take the keyboard from a frame inside its own',
  'focus-click': 'have a click on the page land in its own document',
  'navigate-tab': 'lead the tab elsewhere',
  opener: 'lead the window that opened the page elsewhere',
  'leave-room': 'show another document of ours in its own place',
  'swap-room': 'load itself anew under another address',
  'other-tag': 'tell another tag of a conversion that never was',
  'other-room': "read another tag's document",
  'forge-conversion': 'have a conversion counted that never was',
  'forge-report': 'report on another tag',
  flood: 'flood the page with messages',
  'flood-large': 'stop the page by messages of 50,000 objects each',
  'flood-nested': 'flood the page from a frame inside its own',
  history: "add entries to the tab's history",
  'fill-storage': 'fill the storage of the site with a megabyte',
  hog: 'hold up the page for three seconds',
} as const

export type PageAttack = keyof typeof PAGE_ATTACKS

/** After these there is no page left, or no room, or neither is as it was. */
export const DESTRUCTIVE: ReadonlySet<PageAttack> = new Set([
  'choice',
  'draw',
  'overlay-link',
  'focus-loop',
  'focus-timer',
  'focus-nested',
  'navigate-tab',
  'opener',
  'leave-room',
  'swap-room',
  'flood',
  'flood-large',
  'flood-nested',
  'history',
  'hog',
])

/** What the document says where an attack from a room fails. */
export function inRoomWords(name: PageAttack): string {
  return name === 'focus-nested' ? 'fails: it is removed, and keys of that moment are lost to it' : 'fails'
}
