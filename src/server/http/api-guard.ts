import type { FastifyInstance } from 'fastify'
import { AppError } from './app-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A person's browser may open this route of an API as a page. */
    navigable?: boolean
  }
}

interface ApiGuardOptions {
  /** The dashboard's own origins; a browser's request from anywhere else is refused. */
  origins: readonly string[]
  /** What answers an address with a NUL in its query, which no text of PostgreSQL can hold. */
  refuseNul?: () => AppError
}

/**
 * What makes a scope an API that no page but the dashboard can use (DESIGN, section 7, rule 4): no navigation, no
 * foreign origin, JSON bodies only, and not one CORS header. Who calls is then proved by key and bearer token alone.
 */
export function guardApi(scope: FastifyInstance, { origins, refuseNul = nulInQuery }: ApiGuardOptions): void {
  scope.addHook('onRequest', async (request) => {
    const { origin, 'sec-fetch-mode': mode } = request.headers
    if (mode === 'navigate' && request.routeOptions.config?.navigable !== true)
      throw new AppError(403, 'forbidden', 'This address answers programs, not navigations')
    if (request.url.includes('%00')) throw refuseNul()
    if (origin !== undefined && !origins.includes(origin))
      throw new AppError(403, 'forbidden', 'This origin is not allowed')
    // Both protocols read a body of no named type as JSON.
    request.headers['content-type'] ??= 'application/json'
  })
  scope.removeAllContentTypeParsers()
  const parseJson = scope.getDefaultJsonParser('remove', 'remove')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string
    // The clients name the type on every call that is not a GET, with a body or without.
    if (text.length === 0) return done(null, undefined)
    if (hasEscapedNul(text)) return done(badJson('a NUL character is not allowed'))
    parseJson(request, text, (error: Error | null, value?: unknown) =>
      error === null ? done(null, value) : done(badJson(error.message)),
    )
  })
}

const nulInQuery = () => new AppError(400, 'bad_request', 'A NUL character is not allowed')

/** No text column of PostgreSQL can hold a NUL; with an escaped backslash before it, `\\u0000` is plain text. */
function hasEscapedNul(json: string): boolean {
  return json.replaceAll('\\\\', '').includes('\\u0000')
}

function badJson(problem: string): AppError {
  return new AppError(400, 'bad_json', `Could not parse request body as JSON: ${problem}`)
}
