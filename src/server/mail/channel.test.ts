import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { HOUR_MS } from '#contract/durations.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { Mailbox } from '#tests/support/mailbox.ts'
import { parseConfig } from '../config.ts'
import { change } from '../db/transactions/change.ts'
import { createLogger } from '../http/logging/logger.ts'
import { OutboxWorker } from '../outbox/worker.ts'
import { type MailChannelDeps, mailChannel, storeMail } from './channel.ts'
import { createMailTransport, type MailToSend } from './transport.ts'

const LINK = 'https://painel.exemplo.com.br/#token=segredo-que-entra'
const MAIL: MailToSend = {
  kind: 'recovery',
  to: 'ana@exemplo.com.br',
  subject: 'Crie uma nova senha',
  text: LINK,
  html: `<p>${LINK}</p>`,
}

describe.each(TIER_ENGINES)('mail in the queue on %s', (engine) => {
  let database: TestDatabase
  let mailbox: Mailbox
  let refuses = false
  let shift = 0
  const lines: string[] = []
  const now = () => Date.now() + shift
  beforeEach(async () => {
    refuses = false
    shift = 0
    lines.length = 0
    database = await makeDatabase(engine)
    mailbox = await Mailbox.open(() => refuses)
  })
  afterEach(async () => {
    await mailbox.close()
    await database.close()
  })

  function startWorker(options: Partial<MailChannelDeps> = {}, graceMs = 60_000): OutboxWorker {
    const config = parseConfig({ SMTP_URL: mailbox.url })
    const note = (level: string) => (fields: unknown, text?: string) =>
      void lines.push(`${level} ${JSON.stringify(fields)} ${text}`)
    const log = { warn: note('warn'), error: note('error') }
    const send = createMailTransport(config, createLogger('silent'))
    const channel = mailChannel({ secrets: database.secrets, send, log, ...options })
    const worker = new OutboxWorker({
      db: database.db,
      channels: [channel],
      log,
      now,
      timing: { pollMs: 25, graceMs },
    })
    worker.start()
    onTestFinished(() => worker.stop())
    return worker
  }
  const queue = (mail: Partial<MailToSend> = {}) =>
    change(database.db, (trx) => storeMail(trx, database.secrets, { ...MAIL, ...mail }, now()))
  const rows = () => database.db.selectFrom('deliveries').selectAll().execute()
  const untilEmpty = () => expect.poll(rows, { interval: 50, timeout: 30_000 }).toEqual([])

  test('is encrypted while it waits, sent unchanged, and leaves no row', async () => {
    await queue()
    const [row] = await rows()
    expect(JSON.stringify(row)).not.toMatch(/ana@|segredo-que-entra|Crie/)
    startWorker()
    const received = await mailbox.take(MAIL.to)
    expect(received).toMatchObject({ subject: MAIL.subject, to: [MAIL.to] })
    expect(received.text).toContain(LINK)
    await untilEmpty()
    expect(lines).toEqual([])
  })

  test('offers to end a subscription with one POST (RFC 8058), and only then', async () => {
    startWorker()
    await queue()
    await queue({ to: 'bia@exemplo.com.br', unsubscribeUrl: 'https://exemplo.com.br/sair?codigo=x' })
    expect((await mailbox.take(MAIL.to)).headers).not.toMatch(/list-unsubscribe/i)
    const { headers } = await mailbox.take('bia@exemplo.com.br')
    expect(headers).toMatch(/^List-Unsubscribe: <https:\/\/exemplo\.com\.br\/sair\?codigo=x>\r?$/m)
    expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m)
    await untilEmpty()
  })

  test('waits while the mail server is down, and logs without the address', async () => {
    refuses = true
    await queue()
    startWorker()
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBeGreaterThan(0)
    expect(lines[0]).toMatch(/^warn .*"kind":"recovery".*451.* email not sent, will retry$/)
    expect(lines.join()).not.toContain('ana@')
    refuses = false
    shift = 10_000
    await mailbox.take(MAIL.to)
    await untilEmpty()
  })

  test('is given up when it expires or is refused for good', async () => {
    refuses = true
    await queue({ usefulMs: HOUR_MS })
    const first = startWorker()
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBeGreaterThan(0)
    shift = HOUR_MS + 1
    await untilEmpty()
    expect(lines.at(-1)).toContain('email expired')
    await first.stop()
    const refused = Object.assign(new Error(`550 ${MAIL.to}`), { responseCode: 550 })
    await queue()
    startWorker({ send: () => Promise.reject(refused) })
    await untilEmpty()
    expect(lines.at(-1)).toBe('error {"kind":"recovery","responseCode":550} email refused')
    expect(mailbox.received).toEqual([])
  })

  test('stays in the queue when only an untrusted clock says that it expired', async () => {
    refuses = true
    await queue({ usefulMs: HOUR_MS })
    await database.db.updateTable('site_state').set({ clock_seen_at: '2020-01-01T00:00:00.000Z' }).execute()
    shift = 2 * HOUR_MS
    startWorker()
    const waitsMs = async () => Date.parse((await rows())[0]?.next_attempt_at ?? '') - now()
    await expect.poll(waitsMs, { timeout: 30_000 }).toBeGreaterThan(5 * 60_000)
    expect(lines).toEqual([])
    await database.db.updateTable('site_state').set({ clock_seen_at: new Date().toISOString() }).execute()
    shift = 3 * HOUR_MS
    await untilEmpty()
  })

  test('sends the last email before the process ends, and keeps what cannot be sent', async () => {
    const worker = startWorker()
    await queue()
    await worker.stop()
    expect(mailbox.received).toHaveLength(1)
    expect(await rows()).toEqual([])

    await queue()
    const stuck = startWorker({ send: () => new Promise(() => {}) }, 150)
    await stuck.stop()
    expect(await rows()).toMatchObject([{ kind: 'mail', attempts: 0, leased_until: null }])
    startWorker()
    await untilEmpty()
    expect(mailbox.received).toHaveLength(2)
  })
})
