/** As browsers have it for one cookie; of a jar, what the page takes. */
const MAX_COOKIE_LENGTH = 4_096
const MAX_COOKIES = 50
const MAX_LENGTH = 6_000

type Entry = [name: string, value: string, until: number | null]

/** `document.cookie` of a document that has none. Domain, path and flags mean nothing here. */
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

  /** What has no room is dropped in silence, as browsers do. */
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

  /** Those that outlive the tab, and those that do not. */
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

/** Null for the length of the session. `max-age` counts before `expires` (RFC 6265, 5.3). */
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
