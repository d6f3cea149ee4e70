import { connect } from 'node:net'
import type { RawAnswer } from './raw-request.ts'

/** Messages over one connection per `depth`, behind `lead`; the peer must keep the connection open. */
export async function pipelinedRequests(
  port: number,
  messages: readonly string[],
  { lead, depth }: { lead: string; depth: number },
): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = []
  for (let at = 0; at < messages.length; at += depth) {
    const batch = messages.slice(at, at + depth)
    const got = (await exchange(port, [lead, ...batch])).slice(1)
    if (got.length < batch.length) throw new Error(`no answer to ${JSON.stringify(batch[got.length])}`)
    answers.push(...got)
  }
  return answers
}

/** Behind `lead`, or alone where the peer ends the connection without a response. */
export async function lastRequest(port: number, lead: string, message: string): Promise<RawAnswer | null> {
  const [, answer] = await exchange(port, [lead, message])
  return answer ?? (await exchange(port, [message]))[0] ?? null
}

/** Resolves when everything is answered or the peer ends the connection. */
function exchange(port: number, messages: readonly string[]): Promise<RawAnswer[]> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answers: RawAnswer[] = []
    let chunks: Buffer[] = []
    const finish = () => {
      socket.destroy()
      resolve(answers)
    }
    socket.on('error', () => {})
    socket.on('close', finish)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      let bytes = Buffer.concat(chunks)
      let read = readAnswer(bytes, messages[answers.length] ?? '')
      while (read !== null) {
        answers.push(read.answer)
        if (answers.length === messages.length) return finish()
        bytes = bytes.subarray(read.length)
        read = readAnswer(bytes, messages[answers.length] ?? '')
      }
      chunks = [bytes]
    })
    socket.write(messages.join(''), 'latin1')
  })
}

function readAnswer(bytes: Buffer, message: string): { answer: RawAnswer; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
  const status = Number(statusLine.split(' ')[1])
  const hasBody = !message.startsWith('HEAD ') && status !== 204 && status !== 304
  const bodyStart = headEnd + 4
  const end = hasBody ? bodyEnd(bytes, bodyStart, headers) : bodyStart
  if (end > bytes.length) return null
  return { answer: { status, headers, body: bytes.toString('utf8', bodyStart, end) }, length: end }
}

function bodyEnd(bytes: Buffer, start: number, headers: Record<string, string>): number {
  if (headers['transfer-encoding'] !== 'chunked') return start + Number(headers['content-length'] ?? 0)
  const last = bytes.indexOf('0\r\n\r\n', start)
  return last === -1 ? Number.POSITIVE_INFINITY : last + 5
}
