import { type Answer, readRetryAfter } from '#server/http/outgoing.ts'
import { type EventVerdict, parseObject, type ReceivedAnswer, type Verdict } from './destination.ts'

type Headers = Extract<Answer, { kind: 'answer' }>['headers']

/** What a vendor's answers mean. Its texts are not kept: they may repeat what was sent. */
export interface AnswerTable {
  /** Who answers, with its article: `a Meta`, `o Google`. */
  who: `${'a' | 'o'} ${string}`
  /** The vendor's own codes in an error, most specific first. */
  codesOf(body: Record<string, unknown>): readonly string[]
  /** The verdict of an answer that is no error; null leaves it to the rows. */
  readSuccess?(
    body: Record<string, unknown> | null,
    status: number,
    sent: number,
  ): Verdict | 'accepted' | null
  /** The first row that has one of the answer's codes. An answer without a row is tried again. */
  rows: readonly AnswerRow[]
  /** Portuguese text for a refusal's code. */
  refusalText(reason: string): string
  /** How long a limit lasts, by headers of the vendor's own. By default `Retry-After`. */
  readWait?(headers: Headers): number | null
}

type AnswerRow = {
  /** Codes of the vendor, or the status as `HTTP 401`. */
  on: readonly (string | RegExp)[]
} & (
  | { means: 'limited' | 'unstable' }
  /** Sent alone, the event is refused; the reason is the vendor's first code, or the status. */
  | { means: 'refused'; reason?: 'status' }
  /** The event is sent again without the hashed address. */
  | { means: 'without_email' }
  | { means: 'retry'; afterMs: number; message: string }
  /** Nothing is sent until somebody fixes the pixel. */
  | { means: 'stop'; code: string; message: string }
)

/**
 * Reads answers by a vendor's table. Connections that fail, limits and broken answers are the same for all vendors.
 * @example readAnswer: (answer, sent) => readAnswerBy(ANSWERS, answer, sent)
 */
export function readAnswerBy(table: AnswerTable, answer: ReceivedAnswer, sent: number): Verdict {
  if (answer.kind === 'failed') return connectionFailed(table.who, answer)
  const { status, headers } = answer
  const body = parseObject(answer.body)
  const own = body === null ? [] : table.codesOf(body)
  const said = [`HTTP ${status}`, ...own.slice(0, 1)].join(' · ')
  const success = table.readSuccess?.(body, status, sent) ?? null
  if (success === 'accepted')
    return {
      kind: 'settled',
      state: 'accepted',
      reason: '',
      answer: said,
      message: `${atStart(table.who)} aceitou o evento.`,
    }
  if (success !== null) return success
  const row = findRow(table.rows, [...own, `HTTP ${status}`])
  switch (row?.means) {
    case 'stop':
      return { kind: 'stop', code: row.code, answer: said, message: row.message }
    case 'retry':
      return { kind: 'retry', afterMs: row.afterMs, answer: said, message: row.message }
    case 'without_email': {
      const [reason = ''] = own
      return { kind: 'without_email', reason, answer: said, message: table.refusalText(reason) }
    }
    case 'limited':
      return {
        kind: 'retry',
        afterMs: table.readWait?.(headers) ?? readRetryAfter(headers['retry-after']),
        answer: said,
        message: `${atStart(table.who)} limitou a quantidade de envios. Vamos tentar de novo.`,
      }
    case 'refused': {
      const reason = row.reason === 'status' ? `HTTP ${status}` : (own[0] ?? `HTTP ${status}`)
      return refuse(reason, said, table.refusalText(reason), sent)
    }
    default:
      return { kind: 'retry', afterMs: null, answer: said, message: unstable(table.who) }
  }
}

function findRow(rows: readonly AnswerRow[], codes: readonly string[]): AnswerRow | undefined {
  const has = (wanted: string | RegExp) =>
    codes.some((code) => (typeof wanted === 'string' ? wanted === code : wanted.test(code)))
  return rows.find(({ on }) => on.some(has))
}

/** One bad event refuses the whole request, so that its halves are sent separately. */
function refuse(reason: string, answer: string, message: string, sent: number): Verdict {
  return sent > 1
    ? { kind: 'split', reason, answer, message }
    : { kind: 'settled', state: 'refused', reason, answer, message }
}

/** There was no answer. If nothing was written, the fault may be on our side. */
export function connectionFailed(
  who: AnswerTable['who'],
  { code, written }: Extract<Answer, { kind: 'failed' }>,
): EventVerdict {
  const to = who.startsWith('a ') ? `à ${who.slice(2)}` : `ao ${who.slice(2)}`
  return {
    kind: 'retry',
    afterMs: null,
    answer: code,
    message: written ? unstable(who) : `Não foi possível conectar ${to}. Vamos tentar de novo.`,
  }
}

function unstable(who: AnswerTable['who']): string {
  return `${atStart(who)} está instável. Vamos tentar de novo.`
}

function atStart(who: string): string {
  return who.charAt(0).toUpperCase() + who.slice(1)
}
