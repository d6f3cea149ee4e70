import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requestHandler } from './request-handler.ts'

interface WebhookCall {
  body: string
  email: string
  key: string
  path: string
  headers: IncomingHttpHeaders
}

/** What the webhook does with a call; `seen` counts the calls for the same address, including this one. */
export type WebhookBehaviour = (response: ServerResponse, call: WebhookCall, seen: number) => void

export interface TestWebhook {
  url: string
  port: number
  /** Every call that arrived, in order. */
  calls: WebhookCall[]
  behave(behaviour: WebhookBehaviour): void
  /** Resolves when this many calls have arrived. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

export const accept: WebhookBehaviour = (response) => void response.writeHead(200).end('{"ok":true}')
export const refuse: WebhookBehaviour = (response) => void response.writeHead(500).end('no')

/** A real HTTP server in place of the operator's automation. */
export async function startWebhook(port = 0): Promise<TestWebhook> {
  const calls: WebhookCall[] = []
  const seen = new Map<string, number>()
  const events = new EventEmitter()
  let behaviour = accept
  const handle = requestHandler(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { email } = JSON.parse(body) as { email: string }
    const call = {
      body,
      email,
      key: String(request.headers['idempotency-key']),
      path: request.url ?? '',
      headers: request.headers,
    }
    calls.push(call)
    seen.set(email, (seen.get(email) ?? 0) + 1)
    events.emit('call')
    behaviour(response, call, seen.get(email) ?? 0)
  })
  const server = createServer(handle)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    calls,
    behave: (next) => {
      behaviour = next
    },
    arrived: async (count) => {
      while (calls.length < count) await once(events, 'call')
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
