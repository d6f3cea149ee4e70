import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transporter } from 'nodemailer'
import type { Config } from '../config.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { RenderedEmail } from './email.ts'

export interface OutgoingMail extends RenderedEmail {
  to: string
  /** Named in logs, where the address is not. */
  kind: string
}

export interface MailToSend extends OutgoingMail {
  /** After which it need not arrive any more; a day where nothing is said. */
  usefulMs?: number
}

/** Sends one message, or throws. */
export type SendMail = (mail: OutgoingMail) => Promise<void>

const TIMEOUT_MS = 15_000

/** Through the operator's mail server, or into a folder where the operator finds it. */
export function createMailTransport(config: Config, log: Pick<Logger, 'info'>): SendMail {
  const { smtpUrl, from } = config.mail
  return smtpUrl === null
    ? writeToOutbox(join(config.dataDir, 'outbox'), from, log)
    : sendThroughServer(smtpUrl, from)
}

function sendThroughServer(url: string, from: string): SendMail {
  const transport = once(async () =>
    (await loadMailer()).createTransport({
      url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    }),
  )
  return async (mail) => {
    await (await transport()).sendMail(toMessage(mail, from))
  }
}

function writeToOutbox(directory: string, from: string, log: Pick<Logger, 'info'>): SendMail {
  const composer = once(
    async (): Promise<Transporter<{ message: Buffer | NodeJS.ReadableStream }>> =>
      (await loadMailer()).createTransport({ streamTransport: true, buffer: true }),
  )
  return async (mail) => {
    const { message } = await (await composer()).sendMail(toMessage(mail, from))
    const name = `${new Date().toISOString().replace(/[:.]/g, '-')}-${mail.kind}-${randomUUID().slice(0, 8)}.eml`
    // It contains a token that signs in.
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const unfinished = join(directory, `.${name}`)
    await writeFile(unfinished, message as Buffer, { mode: 0o600 })
    await rename(unfinished, join(directory, name))
    log.info(
      { kind: mail.kind, file: join('outbox', name) },
      'SMTP_URL is not set: a mail was written to DATA_DIR',
    )
  }
}

const OUTBOX_KEEP_MS = 30 * 86_400_000

/** Mails that were written to DATA_DIR a month ago. Files of other names are somebody else's. */
export async function removeOldMailFiles(
  dataDir: string,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ outbox: number }> {
  const directory = join(dataDir, 'outbox')
  let outbox = 0
  for (const name of await readdir(directory).catch(() => [])) {
    if (signal?.aborted) break
    if (!name.endsWith('.eml')) continue
    const file = join(directory, name)
    // Somebody may have taken it meanwhile.
    const written = await stat(file).catch(() => null)
    if (written === null || written.mtimeMs > now - OUTBOX_KEEP_MS) continue
    await rm(file, { force: true })
    outbox++
  }
  return { outbox }
}

/** Comes with the first mail: 5 MB that a server does not need to start. */
function loadMailer() {
  return import('nodemailer')
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

function toMessage({ to, subject, text, html }: OutgoingMail, from: string) {
  return {
    from,
    to,
    subject,
    text,
    html,
    // RFC 3834: no out-of-office answer to a program.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
