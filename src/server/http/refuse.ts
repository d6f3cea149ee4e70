import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Headers } from './security-headers.ts'

/** What no part of the site may answer, with the strictest headers. */
export function refuse(response: ServerResponse, status: number, headers: Headers): true {
  const body = refusalBody(status)
  response.writeHead(status, { ...headers, ...bodyHeaders(body) })
  response.end(body)
  return true
}

/** The same where there is no request to answer, only bytes; the connection ends with it. */
export function refuseSocket(socket: Socket, status: number, headers: Headers): void {
  // Bytes in the middle of an earlier request's answer would be taken for a part of it: that one is flushed instead.
  if (isAnswering(socket)) {
    socket.destroySoon()
    return
  }
  const body = refusalBody(status)
  const all = { ...headers, ...bodyHeaders(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy())
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  403: 'Service workers are not served',
  408: 'The request did not arrive in time',
  413: 'The request is too large',
  417: 'The expectation is not supported',
  431: 'The address and the headers of the request are too long',
  503: 'There are too many connections',
}

/**
 * Nobody has looked at the path yet, so the body has the fields of both protocols, whose clients take an empty 404 for
 * success and any other empty refusal for an error without a message.
 */
function refusalBody(status: number): string {
  const code = (STATUS_CODES[status] ?? '').toLowerCase().replaceAll(' ', '_')
  const message = REASONS[status] ?? STATUS_CODES[status]
  return JSON.stringify({ code, message, details: null, hint: null, error_code: code, msg: message })
}

function bodyHeaders(body: string): Headers {
  return {
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }
}

/** Node notes on the socket which answer has its turn, and says so nowhere else. */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent ?? false
}
