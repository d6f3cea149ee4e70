import { expect, test } from 'vitest'
import type { OutgoingMail } from '../mail/transport.ts'
import { MailQueue } from './account-mail.ts'

const MAIL: OutgoingMail = { kind: 'recovery', to: 'ana@exemplo.com.br', subject: 's', text: 't', html: 'h' }

/** Fails with each of these in turn, and then succeeds. */
function setUp(failures: object[], graceMs = 5_000) {
  const sent: OutgoingMail[] = []
  const lines: string[] = []
  const write = (level: string) => (fields: unknown, text?: string) =>
    void lines.push(`${level} ${JSON.stringify(fields)} ${text}`)
  const queue = new MailQueue({
    send: async (mail) => {
      const failure = failures.shift()
      if (failure !== undefined) throw Object.assign(new Error(`refused ${mail.to}`), failure)
      sent.push(mail)
    },
    log: { warn: write('warn'), error: write('error') },
    retryAfterMs: [1, 1],
    graceMs,
  })
  return { queue, sent, lines }
}

test('closing waits for what is on its way', async () => {
  const { queue, sent, lines } = setUp([])
  queue.later(async () => [MAIL, MAIL])
  queue.later(async () => [])
  await queue.close()
  expect(sent).toHaveLength(2)
  expect(lines).toEqual([])
})

test('what may pass is tried three times, and then logged without the address', async () => {
  const { queue, sent, lines } = setUp([
    { code: 'ECONNECTION' },
    { responseCode: 451 },
    { code: 'ETIMEDOUT' },
  ])
  queue.later(async () => [MAIL])
  await queue.close()
  expect(sent).toEqual([])
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'warn', 'error'])
  expect(lines.join()).not.toContain('ana@')
  expect(lines[2]).toContain('ETIMEDOUT')
})

test('a refusal for good is not tried again', async () => {
  const { queue, lines } = setUp([{ responseCode: 550 }, { responseCode: 550 }])
  queue.later(async () => [MAIL])
  await queue.close()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^error .*550/)
})

test('work that breaks is logged, and what never ends does not hold the process', async () => {
  const { queue, lines } = setUp([], 300)
  queue.later(() => Promise.reject(new Error('no database')))
  queue.later(() => new Promise(() => {}))
  await queue.close()
  expect(lines.some((line) => line.includes('could not be prepared'))).toBe(true)
  expect(lines.at(-1)).toContain('still on its way')
})
