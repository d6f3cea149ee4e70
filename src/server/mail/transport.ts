import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transporter } from 'nodemailer'
import { DAY_MS } from '#contract/durations.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../http/logging/logger.ts'
import type { RenderedEmail } from './email.ts'

export interface OutgoingMail extends RenderedEmail {
  to: string
  /** For logs, which do not contain the address. */
  kind: string
  /** Address that ends a subscription with one POST (RFC 8058). */
  unsubscribeUrl?: string
}

export interface MailToSend extends OutgoingMail {
  /** After this time it expires; default one day. */
  usefulMs?: number
}

/** Sends one message, or throws. */
export type SendMail = (mail: OutgoingMail) => Promise<void>

const TIMEOUT_MS = 15_000

/** Sends through the operator's mail server, or writes to a folder where the operator finds it. */
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
    // The file contains a token that signs in.
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const unfinished = join(directory, `.${name}`)
    await writeFile(unfinished, message as Buffer, { mode: 0o600 })
    await rename(unfinished, join(directory, name))
    log.info(
      { kind: mail.kind, file: join('outbox', name) },
      'SMTP_URL is not set: email written to DATA_DIR',
    )
  }
}

const OUTBOX_KEEP_MS = 30 * DAY_MS

/** Deletes emails that were written to DATA_DIR a month ago. Files with other names are left alone. */
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
    // The file may be gone meanwhile.
    const written = await stat(file).catch(() => null)
    if (written === null || written.mtimeMs > now - OUTBOX_KEEP_MS) continue
    await rm(file, { force: true })
    outbox++
  }
  return { outbox }
}

/** Loaded with the first email: 5 MB that a start does not need. */
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

function toMessage({ to, subject, text, html, unsubscribeUrl }: OutgoingMail, from: string) {
  return {
    from,
    to,
    subject,
    text,
    html,
    // RFC 3834: prevents out-of-office replies.
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl === undefined
        ? {}
        : {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
  }
}
