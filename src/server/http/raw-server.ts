import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Headers } from './security-headers.ts'

/** Answers a request in front of the framework and returns true, or leaves it alone. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean

const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 8_000
const CHECK_INTERVAL_MS = 1_000
const KEEP_ALIVE_TIMEOUT_MS = 65_000
const MAX_HEADER_BYTES = 16_384

interface RawServerOptions {
  handler: RequestListener
  fastPath: FastPath
  /** On every answer that nobody gives headers of its own: the framework, too, writes some errors before any hook runs. */
  defaultHeaders: Headers
}

/** The framework's own timeouts do not reach a server that it did not make, so they are set here. */
export function createRawServer({ handler, fastPath, defaultHeaders }: RawServerOptions): Server {
  const defaults = new Map(Object.entries(defaultHeaders))
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      if (fastPath(request, response)) return
      response.setHeaders(defaults)
      handler(request, response)
    },
  )
  server.on('clientError', (error, socket) => answerClientError(error, socket as Socket, defaultHeaders))
  return server
}

const STATUS_BY_CODE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What Node would write by itself carries no policy, and a frame around such a document could be scripted. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket, defaults: Headers): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const headers = {
    ...defaults,
    'cache-control': 'no-store',
    'content-length': '0',
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const status = STATUS_BY_CODE[error.code ?? ''] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy())
}
