import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { Mailbox } from '#tests/support/mailbox.ts'
import { parseConfig } from '../config.ts'
import { change } from '../db/transactions/change.ts'
import { createLogger } from '../http/logging/logger.ts'
import { DeliveryWorker } from '../outbox/worker.ts'
import { type MailChannelDeps, mailChannel, storeMail } from './channel.ts'
import { createMailTransport, type MailToSend } from './transport.ts'

const HOUR = 3_600_000
const LINK = 'https://painel.exemplo.com.br/#token=segredo-que-entra'
const MAIL: MailToSend = {
  kind: 'recovery',
  to: 'ana@exemplo.com.br',
  subject: 'Crie uma nova senha',
  text: LINK,
  html: `<p>${LINK}</p>`,
}

describe.each(ENGINES)('mail in the queue on %s', (engine) => {
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

  function startWorker(options: Partial<MailChannelDeps> = {}, graceMs = 60_000): DeliveryWorker {
    const config = parseConfig({ SMTP_URL: mailbox.url })
    const note = (level: string) => (fields: unknown, text?: string) =>
      void lines.push(`${level} ${JSON.stringify(fields)} ${text}`)
    const log = { warn: note('warn'), error: note('error') }
    const send = createMailTransport(config, createLogger('silent'))
    const lane = mailChannel({ secrets: database.secrets, send, log, ...options })
    const worker = new DeliveryWorker({
      db: database.db,
      sources: [lane],
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

  test('is encrypted while it waits, sent as it was written, and leaves no row', async () => {
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

  test('waits while the mail server is away, and says so without the address', async () => {
    refuses = true
    await queue()
    startWorker()
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBeGreaterThan(0)
    expect(lines[0]).toMatch(/^warn .*"kind":"recovery".*451.* a mail could not be sent yet$/)
    expect(lines.join()).not.toContain('ana@')
    refuses = false
    shift = 10_000
    await mailbox.take(MAIL.to)
    await untilEmpty()
  })

  test('is given up when it is of no use any more, or refused for good', async () => {
    refuses = true
    await queue({ usefulMs: HOUR })
    const first = startWorker()
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBeGreaterThan(0)
    shift = HOUR + 1
    await untilEmpty()
    expect(lines.at(-1)).toContain('before it was of no use any more')
    await first.stop()
    const refused = Object.assign(new Error(`550 ${MAIL.to}`), { responseCode: 550 })
    await queue()
    startWorker({ send: () => Promise.reject(refused) })
    await untilEmpty()
    expect(lines.at(-1)).toBe('error {"kind":"recovery","responseCode":550} a mail could not be sent')
    expect(mailbox.received).toEqual([])
  })

  test('stays in the queue when only a clock that is not trusted says that it is of no use any more', async () => {
    refuses = true
    await queue({ usefulMs: HOUR })
    await database.db.updateTable('site_state').set({ clock_seen_at: '2020-01-01T00:00:00.000Z' }).execute()
    shift = 2 * HOUR
    startWorker()
    const waitsMs = async () => Date.parse((await rows())[0]?.next_attempt_at ?? '') - now()
    await expect.poll(waitsMs, { timeout: 30_000 }).toBeGreaterThan(5 * 60_000)
    expect(lines).toEqual([])
    await database.db.updateTable('site_state').set({ clock_seen_at: new Date().toISOString() }).execute()
    shift = 3 * HOUR
    await untilEmpty()
  })

  test('what was queued last leaves before the process does, and what cannot is kept', async () => {
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
