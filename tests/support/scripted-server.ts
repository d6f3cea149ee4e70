export interface Call {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
  headers: Headers
  /** Aborted once nobody waits for the response. */
  signal: AbortSignal | null
}

/** A `Response`, or a value to send as JSON; null is sent as 204. */
export type Handler = (call: Call, params: readonly string[]) => unknown

interface Route {
  method: string
  pattern: RegExp
  handler: Handler
}

/** A call that the test holds. */
export interface HeldCall {
  call: Call
  /** Continues with the normal answer. */
  release(): void
}

/** Replaces the server behind `fetch`: each route answers by script, and each call is recorded. */
export class ScriptedServer {
  readonly calls: Call[] = []
  /** No response at all. */
  away = false
  #routes: Route[] = []
  #gates = new Map<string, (call: Call) => Promise<void>>()

  /** `*` stands for one part of a path, which the handler gets. Later definitions win. */
  answer(route: string, handler: Handler): void {
    const [method = 'GET', path = ''] = route.split(' ')
    const pattern = new RegExp(`^${path.replaceAll('*', '([^/]+)')}$`)
    this.#routes.unshift({ method, pattern, handler })
  }

  refuse(route: string, status: number, body: unknown = { message: 'scripted refusal' }): void {
    this.answer(route, () => json(body, status))
  }

  /** Holds every call of this route until it is released. */
  hold(route: string): HeldCall[] {
    const held: HeldCall[] = []
    this.#gates.set(route, (call) => new Promise((release) => held.push({ call, release })))
    return held
  }

  letGo(route: string): void {
    this.#gates.delete(route)
  }

  callsTo(route: string): Call[] {
    const [method, path] = route.split(' ')
    return this.calls.filter((call) => call.method === method && call.path === path)
  }

  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    const text = typeof init.body === 'string' ? init.body : ''
    const call: Call = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: text === '' ? null : JSON.parse(text),
      headers: new Headers(init.headers),
      signal: init.signal ?? null,
    }
    this.calls.push(call)
    const gate = this.#gates.get(`${call.method} ${call.path}`)
    if (gate) await withSignal(gate(call), init.signal)
    if (this.away) throw new TypeError('Failed to fetch')
    for (const { method, pattern, handler } of this.#routes) {
      const found = method === call.method ? pattern.exec(call.path) : null
      if (found === null) continue
      const answer = await handler(call, found.slice(1))
      return answer instanceof Response ? answer : json(answer)
    }
    throw new Error(`no script for ${call.method} ${call.path}`)
  }
}

export function json(body: unknown, status = 200): Response {
  if (body === null || body === undefined) return new Response(null, { status: 204 })
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

function withSignal(work: Promise<void>, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
    work.then(resolve, reject)
  })
}
