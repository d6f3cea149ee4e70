import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, VendorRequest } from './stand-in.ts'

/** One transparent pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const SLOW_MS = 2_000

/** Writes a vendor's answer. Only what pages read by `fetch` has CORS headers. */
export async function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  request: VendorRequest,
): Promise<void> {
  if (answer === 'never') return
  if (answer === '204') {
    response.writeHead(204).end()
  } else if (answer === 'frame') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>frame</title>')
  } else if (answer === 'gif' || answer === 'slow gif') {
    if (answer === 'slow gif') await delay(SLOW_MS, undefined, { ref: false })
    response.writeHead(200, { 'content-type': 'image/gif', 'cache-control': 'no-store' }).end(GIF)
  } else if ('script' in answer) {
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-store' })
    response.end(answer.script)
  } else if ('redirect' in answer) {
    response.writeHead(302, { location: answer.redirect(request), 'cache-control': 'no-store' }).end()
  } else {
    response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
    response.end(JSON.stringify(answer.json))
  }
}
