import type { Jar, PageMessage } from '#contract/isolated-frame.ts'
import { CookieJar } from './cookie-jar.ts'
import { keptStorage, type Pairs } from './kept-storage.ts'

/** Writes come in bursts. */
const GATHER_MS = 250

interface Kept {
  cookies?: [name: string, value: string, until: number | null][]
  storage?: Pairs
}

/**
 * What vendors expect of a page and an opaque origin does not have: cookies, both storages, referrer, title, size. All of
 * it is the page's to give and to forget. `top` and `location` cannot be replaced.
 */
export function installShim(
  { jar, referrer, title, width, height }: Omit<Extract<PageMessage, { portico: 'start' }>, 'portico'>,
  onChange: (jar: Jar) => void,
): void {
  const kept = { local: read(jar.local), session: read(jar.session) }
  let timer: ReturnType<typeof setTimeout> | undefined
  const send = () => {
    timer = undefined
    const [durable, passing] = cookies.entries()
    onChange({
      local: JSON.stringify({ cookies: durable, storage: local.pairs() } satisfies Kept),
      session: JSON.stringify({ cookies: passing, storage: session.pairs() } satisfies Kept),
    })
  }
  const changed = () => {
    timer ??= setTimeout(send, GATHER_MS)
  }
  addEventListener('pagehide', () => timer && send())
  const cookies = new CookieJar([...(kept.local.cookies ?? []), ...(kept.session.cookies ?? [])], changed)
  const local = keptStorage(kept.local.storage ?? [], changed)
  const session = keptStorage(kept.session.storage ?? [], changed)

  define(document, 'cookie', { get: () => cookies.text, set: (text) => cookies.write(String(text)) })
  define(window, 'localStorage', { value: local.storage })
  define(window, 'sessionStorage', { value: session.storage })
  define(document, 'referrer', { value: referrer })
  define(navigator, 'cookieEnabled', { value: true })
  define(window, 'parent', { value: window })
  define(window, 'frameElement', { value: null })
  define(window, 'innerWidth', { value: width })
  define(window, 'innerHeight', { value: height })
  document.title = title
  // A hidden frame is never painted.
  define(window, 'requestAnimationFrame', {
    value: (paint: FrameRequestCallback) => setTimeout(() => paint(performance.now()), 16),
  })
  define(window, 'cancelAnimationFrame', { value: (id: number) => clearTimeout(id) })
  // Nothing here is ever seen, so that nothing here needs the keyboard. What a nested frame tries, the page undoes.
  for (const [owner, name] of [
    [window, 'focus'],
    [HTMLElement.prototype, 'focus'],
    [SVGElement.prototype, 'focus'],
    [HTMLInputElement.prototype, 'select'],
    [HTMLTextAreaElement.prototype, 'select'],
  ] as const)
    define(owner, name, { value: () => {}, writable: false, configurable: false })
  // An entry of its own in the tab's history would stand between the visitor and the page before.
  define(History.prototype, 'pushState', { value: history.replaceState })
  // No policy reaches it. A nested frame has it again: a hindrance, and no wall.
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection'])
    define(window, name, { value: undefined })
}

function define(target: object, name: string, property: PropertyDescriptor): void {
  Object.defineProperty(target, name, {
    configurable: true,
    ...('value' in property ? { writable: true } : {}),
    ...property,
  })
}

function read(text: string): Kept {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
