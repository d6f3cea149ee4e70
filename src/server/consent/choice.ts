import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Insertable, sql } from 'kysely'
import {
  CONSENT_COOKIE,
  CONSENT_PATH,
  CONSENT_TEXT_VERSION,
  type ConsentChoice,
  countsOnText,
  type EmailRecipient,
  parseConsent,
  textVersionFor,
} from '#contract/consent-choice.ts'
import { consentRecordSchema } from '#contract/consent-record.ts'
import type { Db } from '../db/database.ts'
import { asTable } from '../db/dialect.ts'
import type { ConsentRecords } from '../db/schema/consent.ts'
import { GroupWriter } from '../db/transactions/group-writer.ts'
import { AppError } from '../http/errors.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/limits/public.ts'
import { readCookie } from '../http/requests.ts'
import type { ChoiceCounts } from './choice-counts.ts'

interface ConsentDeps {
  db: Db
  guard: PublicGuard
  refusals: ChoiceCounts
  /** Finds the wording and the recipients that the visitor was shown. */
  noticeOf: (
    textVersion: number,
    tagSetVersion: string,
  ) => Promise<
    Pick<Insertable<ConsentRecords>, 'schema_version' | 'notice_hash' | 'parties_hash' | 'retention_days'>
  >
  /** Deletes events that the choice no longer allows; returns the cookies that it ends. */
  withhold: (choice: {
    consentId: string
    granted: readonly string[]
    cookieHeader: string | undefined
  }) => Promise<string[]>
}

/**
 * `POST /api/consent`. LGPD art. 8 §2 puts the burden of proof on us: the record says what was chosen, when and on
 * which text. It contains no address and no browser.
 */
export function registerConsent(app: FastifyInstance, deps: ConsentDeps): void {
  const { db, guard, refusals, noticeOf, withhold } = deps
  const writer = new GroupWriter((rows: readonly RecordRow[]) => insertRecords(db, rows))
  app.post(CONSENT_PATH, { bodyLimit: BODY_BYTES.consent }, async (request, reply) => {
    guardPublicPost(guard, request, 'consent')
    const parsed = consentRecordSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not a consent record')
    const {
      record_id: recordId = randomUUID(),
      id,
      action,
      categories,
      text_version,
      tag_set_version,
    } = parsed.data
    // First of all: a withdrawal takes effect even if the record is refused below.
    const ended = await withhold({
      consentId: id,
      granted: categories,
      cookieHeader: request.headers.cookie,
    })
    if (ended.length > 0) reply.header('set-cookie', ended)
    // Until this returns 204 the page sends the record again.
    const createdAt = new Date().toISOString()
    const isNew = await storeWithin(guard, request, 'consent', async (giveBack) => {
      const record = {
        id: recordId,
        consent_id: id,
        action,
        categories: JSON.stringify([...new Set(categories)]),
        text_version,
        tag_set_version,
        created_at: createdAt,
        ...(await noticeOf(text_version, tag_set_version)),
      }
      const stored = await writer.write([record])
      // Deleted, so that of two requests with one record in the same statement only one counts.
      const isFirst = stored.delete(recordId)
      if (!isFirst) giveBack()
      return isFirst
    })
    if (isNew) refusals.add({ recordId, consentId: id, version: tag_set_version, createdAt })
    return reply.code(204).send()
  })
}

/** The columns of a new record, with their PostgreSQL types. */
const COLUMNS = {
  id: 'uuid',
  consent_id: 'uuid',
  action: 'text',
  categories: 'jsonb',
  text_version: 'integer',
  tag_set_version: 'text',
  created_at: 'timestamptz',
  schema_version: 'integer',
  notice_hash: 'text',
  parties_hash: 'text',
  retention_days: 'integer',
} as const satisfies Partial<Record<keyof ConsentRecords, string>>

type RecordRow = Pick<Insertable<ConsentRecords>, keyof typeof COLUMNS>

/** Returns the ids of those that were not stored before. */
async function insertRecords(db: Db, rows: readonly RecordRow[]): Promise<Set<string>> {
  const stored = await db
    .insertInto('consent_records')
    .columns(Object.keys(COLUMNS) as (keyof typeof COLUMNS)[])
    // Without a condition SQLite would parse "on conflict" as that of a join.
    .expression((eb) =>
      eb
        .selectFrom(asTable(db, COLUMNS, rows))
        .selectAll()
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .execute()
  return new Set(stored.map(({ id }) => id))
}

/** Reads the visitor's choice from their cookie; null if there is none that counts. */
export function readChoice(cookieHeader: string | undefined): ConsentChoice | null {
  const choice = parseConsent(readCookie(cookieHeader, CONSENT_COOKIE) ?? '')
  return choice === null || !countsOnText(choice.textVersion, CONSENT_TEXT_VERSION) ? null : choice
}

/** True if the visitor accepted marketing on a text that says that this recipient gets the address. */
export function allowsEmail(
  { textVersion, granted }: { textVersion: number; granted: readonly string[] },
  recipient: EmailRecipient,
): boolean {
  return granted.includes('marketing') && countsOnText(textVersion, textVersionFor([recipient]))
}
