import type { Jar, PageMessage } from '#contract/isolated-frame.ts'

/** Writes come in bursts. */
const GATHER_MS = 250

interface Kept {
  cookies?: [name: string, value: string, until: number | null][]
  storage?: Pairs
}

/**
 * What vendors expect of a page and an opaque origin lacks: cookies, both storages, referrer, title, size. The page
 * supplies and deletes all of it. `top` and `location` cannot be replaced.
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
  // Nothing here is visible, so nothing needs the keyboard. The page handles nested frames.
  for (const [owner, name] of [
    [window, 'focus'],
    [HTMLElement.prototype, 'focus'],
    [SVGElement.prototype, 'focus'],
    [HTMLInputElement.prototype, 'select'],
    [HTMLTextAreaElement.prototype, 'select'],
  ] as const)
    define(owner, name, { value: () => {}, writable: false, configurable: false })
  // An entry in the tab's history would break the back button.
  define(History.prototype, 'pushState', { value: history.replaceState })
  // No policy covers WebRTC. A nested frame has it again, so this only makes it harder.
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

/** Browsers' limit for one cookie, and the page's for all. */
const MAX_COOKIE_LENGTH = 4_096

const MAX_COOKIES = 50

const MAX_LENGTH = 6_000

type Entry = [name: string, value: string, until: number | null]

/** `document.cookie` for a document without cookies. Domain, path and flags are ignored. */
export class CookieJar {
  readonly #cookies: Map<string, { value: string; until: number | null }>
  readonly #onChange: () => void

  constructor(kept: readonly Entry[], onChange: () => void) {
    this.#cookies = new Map(kept.map(([name, value, until]) => [name, { value, until }]))
    this.#onChange = onChange
  }

  get text(): string {
    return this.#alive()
      .map(([name, value]) => (name === '' ? value : `${name}=${value}`))
      .join('; ')
  }

  /** Cookies that do not fit are dropped silently, as in browsers. */
  write(text: string): void {
    const [pair = '', ...attributes] = text.split(';')
    if (pair.length > MAX_COOKIE_LENGTH) return
    const at = pair.indexOf('=')
    const name = at === -1 ? '' : pair.slice(0, at).trim()
    const until = readExpiry(attributes)
    const others = this.#alive().filter(([other]) => other !== name)
    if (until !== null && until <= Date.now()) this.#cookies.delete(name)
    else if (others.length < MAX_COOKIES && sizeOf(others) + pair.length <= MAX_LENGTH)
      this.#cookies.set(name, { value: pair.slice(at + 1).trim(), until })
    this.#onChange()
  }

  /** Persistent cookies, and session cookies. */
  entries(): [durable: Entry[], passing: Entry[]] {
    const all = this.#alive()
    return [all.filter(([, , until]) => until !== null), all.filter(([, , until]) => until === null)]
  }

  #alive(): Entry[] {
    return [...this.#cookies].flatMap(([name, { value, until }]): Entry[] =>
      until === null || until > Date.now() ? [[name, value, until]] : [],
    )
  }
}

/** Null for a session cookie. `max-age` takes precedence over `expires` (RFC 6265, 5.3). */
function readExpiry(attributes: readonly string[]): number | null {
  const found = new Map(
    attributes.map((attribute) => {
      const [name = '', value = ''] = attribute.split('=')
      return [name.trim().toLowerCase(), value.trim()]
    }),
  )
  const age = Number.parseInt(found.get('max-age') ?? '', 10)
  if (!Number.isNaN(age)) return Date.now() + age * 1000
  const date = Date.parse(found.get('expires') ?? '')
  return Number.isNaN(date) ? null : date
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, [name, value]) => sum + name.length + value.length + 1, 0)
}

type Pairs = [key: string, value: string][]

/** A storage in memory with the page's size limit. */
export function keptStorage(kept: Pairs, onChange: () => void): { storage: Storage; pairs(): Pairs } {
  const items = new Map(kept)
  const methods = {
    getItem: (key: string) => items.get(String(key)) ?? null,
    setItem: (key: string, value: string) => {
      const size = [...items].reduce(
        (sum, [name, text]) => sum + (name === String(key) ? 0 : name.length + text.length),
        String(key).length + String(value).length,
      )
      if (size > MAX_LENGTH) throw new DOMException('The storage of this tag is full.', 'QuotaExceededError')
      items.set(String(key), String(value))
      onChange()
    },
    removeItem: (key: string) => {
      items.delete(String(key))
      onChange()
    },
    clear: () => {
      items.clear()
      onChange()
    },
    key: (index: number) => [...items.keys()][index] ?? null,
  }
  const storage = new Proxy(methods, {
    get: (target, key) => {
      if (key === 'length') return items.size
      return typeof key === 'string' && items.has(key) ? items.get(key) : Reflect.get(target, key)
    },
    set: (_target, key, value) => {
      methods.setItem(String(key), value)
      return true
    },
    deleteProperty: (_target, key) => {
      methods.removeItem(String(key))
      return true
    },
    has: (target, key) => items.has(String(key)) || Reflect.has(target, key),
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: (_target, key) =>
      items.has(String(key))
        ? { value: items.get(String(key)), writable: true, enumerable: true, configurable: true }
        : undefined,
  })
  return { storage: storage as unknown as Storage, pairs: () => [...items] }
}
