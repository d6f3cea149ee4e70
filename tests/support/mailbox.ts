import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { parseMail, type ReceivedMail } from './parse-mail.ts'

/** A real mail server on this machine, and everything that arrived. */
export class Mailbox {
  readonly received: ReceivedMail[] = []
  readonly #server: SMTPServer
  readonly #waiting = new Set<() => void>()

  private constructor(refuse: () => boolean) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onData: (stream, session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          if (refuse()) return done(Object.assign(new Error('try later'), { responseCode: 451 }))
          const to = session.envelope.rcptTo.map(({ address }) => address)
          this.received.push(parseMail(Buffer.concat(chunks).toString('utf8'), to))
          done()
          for (const look of this.#waiting) look()
        })
      },
    })
  }

  /** `refuse` is called for each message; true makes the server answer "try later". */
  static async open(refuse: () => boolean = () => false): Promise<Mailbox> {
    const mailbox = new Mailbox(refuse)
    await new Promise<void>((resolve) => mailbox.#server.listen(0, '127.0.0.1', resolve))
    return mailbox
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`
  }

  /** The next unread message to this address (with this subject); the test's time limit ends the wait. */
  take(to: string, subject?: string): Promise<ReceivedMail> {
    return new Promise((resolve) => {
      const look = () => {
        const index = this.received.findIndex(
          (mail) => mail.to.includes(to) && (subject === undefined || mail.subject === subject),
        )
        const [mail] = index === -1 ? [] : this.received.splice(index, 1)
        if (mail === undefined) return
        this.#waiting.delete(look)
        resolve(mail)
      }
      this.#waiting.add(look)
      look()
    })
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}
