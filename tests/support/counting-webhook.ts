/** A webhook as a separate process, so that its work is not measured. GET returns the number of calls. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const keys = new Set<string>()
let calls = 0
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ calls, keys: keys.size }))
    return
  }
  calls++
  keys.add(String(request.headers['idempotency-key']))
  request.resume().on('end', () => response.end())
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
