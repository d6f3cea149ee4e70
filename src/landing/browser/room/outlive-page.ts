/** Bodies past this do not fit beside each other into what browsers keep alive (64 KB). */
const MAX_BODY_LENGTH = 8_000
/** A click that a vendor is told of often leads away. */
const DEPARTURE_MS = 2_000

let departsUntil = 0

/** From here on the visitor may be leaving. */
export function noteDeparture(): void {
  departsUntil = performance.now() + DEPARTURE_MS
}

/**
 * What a tag sends leaves although the page is left: small requests are kept alive, and pictures that nobody sees are
 * sent as such requests around a conversion. Browsers cut both off otherwise; Firefox loses nearly every picture.
 */
export function outlivePage(): void {
  const send = window.fetch.bind(window)
  window.fetch = (input, init = {}) => {
    const isSmall =
      init.body === undefined ||
      init.body === null ||
      (typeof init.body === 'string' && init.body.length <= MAX_BODY_LENGTH)
    return send(input, isSmall && !(input instanceof Request) ? { keepalive: true, ...init } : init)
  }
  const { prototype } = HTMLImageElement
  const source = Object.getOwnPropertyDescriptor(prototype, 'src')
  if (!source?.set) return
  const { set } = source
  Object.defineProperty(prototype, 'src', {
    ...source,
    set(this: HTMLImageElement, address: string) {
      if (performance.now() > departsUntil || this.isConnected || !/^(https:)?\/\//.test(address)) {
        set.call(this, address)
        return
      }
      send(address, { mode: 'no-cors', credentials: 'include', keepalive: true }).then(
        () => this.dispatchEvent(new Event('load')),
        () => this.dispatchEvent(new Event('error')),
      )
    },
  })
}
