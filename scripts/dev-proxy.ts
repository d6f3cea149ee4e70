import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** Forwards a request unchanged; `rewrite` may change an HTML response, which then loses its policy for Vite. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  rewrite: ((html: string) => Promise<string>) | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { method, url, headers } = request
    const upstream = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      const status = answer.statusCode ?? 502
      if (rewrite === null || !answer.headers['content-type']?.startsWith('text/html')) {
        response.writeHead(status, answer.headers)
        answer.pipe(response).once('close', resolve)
        return
      }
      const { 'content-security-policy': _policy, 'content-length': _length, ...kept } = answer.headers
      text(answer)
        .then(rewrite)
        .then((html) => {
          response.writeHead(status, kept).end(html)
          resolve()
        })
        .catch(reject)
    })
    upstream.once('error', reject)
    request.pipe(upstream)
  })
}
