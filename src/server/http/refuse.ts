import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Headers } from './security-headers.ts'

/** An answer without a body, with the strictest headers: what no part of the site may answer. */
export function refuse(response: ServerResponse, status: number, headers: Headers): true {
  response.writeHead(status, { ...headers, 'cache-control': 'no-store', 'content-length': 0 })
  response.end()
  return true
}

/** The same where there is no request to answer, only bytes; the connection ends with it. */
export function refuseSocket(socket: Socket, status: number, headers: Headers): void {
  // Bytes in the middle of an earlier request's answer would be taken for a part of it: that one is flushed instead.
  if (isAnswering(socket)) {
    socket.destroySoon()
    return
  }
  const all = { ...headers, 'cache-control': 'no-store', 'content-length': '0', connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')
  socket.end(`${head}\r\n\r\n`, () => socket.destroy())
}

/** Node notes on the socket which answer has its turn, and says so nowhere else. */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent ?? false
}
