import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Insertable } from 'kysely'
import {
  CONSENT_COOKIE,
  CONSENT_PATH,
  CONSENT_TEXT_VERSION,
  type ConsentChoice,
  countsOnText,
  EMAIL_TEXT_VERSION,
  parseConsent,
} from '#contract/consent-choice.ts'
import { consentRecordSchema } from '#contract/consent-record.ts'
import type { Db } from '../db/database.ts'
import type { ConsentRecords } from '../db/schema/consent.ts'
import { AppError } from '../http/errors.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/limits/public.ts'
import { readCookie } from '../http/requests.ts'
import type { ChoiceCounts } from './choice-counts.ts'

interface ConsentDeps {
  db: Db
  guard: PublicGuard
  refusals: ChoiceCounts
  /** What is stored beside the choice: on which words it was made, and with which parties. */
  premisesOf: (
    textVersion: number,
    tagSetVersion: string,
  ) => Promise<
    Pick<Insertable<ConsentRecords>, 'schema_version' | 'notice_hash' | 'parties_hash' | 'retention_days'>
  >
  /** Ends what the choice no longer allows; gives the cookies that end with it. */
  withhold: (choice: {
    consentId: string
    granted: readonly string[]
    cookieHeader: string | undefined
  }) => Promise<string[]>
}

/** The burden of proving consent is ours (LGPD art. 8 §2): what was chosen, when, on which text. No address, no browser. */
export function registerConsent(app: FastifyInstance, deps: ConsentDeps): void {
  const { db, guard, refusals, premisesOf, withhold } = deps
  app.post(CONSENT_PATH, { bodyLimit: BODY_BYTES.consent }, async (request, reply) => {
    guardPublicPost(guard, request, 'consent')
    const parsed = consentRecordSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not a consent record')
    const { id, action, categories, text_version, tag_set_version } = parsed.data
    // Before anything can refuse the record: what was taken back is taken back.
    const ended = await withhold({
      consentId: id,
      granted: categories,
      cookieHeader: request.headers.cookie,
    })
    if (ended.length > 0) reply.header('set-cookie', ended)
    // The choice holds in the browser either way; only its proof is missing, and the answer says so.
    const recordId = randomUUID()
    const createdAt = new Date().toISOString()
    await storeWithin(guard, request, 'consent', async () =>
      db
        .insertInto('consent_records')
        .values({
          id: recordId,
          consent_id: id,
          action,
          categories: JSON.stringify([...new Set(categories)]),
          text_version,
          tag_set_version,
          created_at: createdAt,
          ...(await premisesOf(text_version, tag_set_version)),
        })
        .execute(),
    )
    refusals.add({ recordId, consentId: id, version: tag_set_version, createdAt })
    return reply.code(204).send()
  })
}

/** What the visitor agreed to, as their own cookie says; null where it counts for nothing. */
export function readChoice(cookieHeader: string | undefined): ConsentChoice | null {
  const choice = parseConsent(readCookie(cookieHeader, CONSENT_COOKIE) ?? '')
  return choice === null || !countsOnText(choice.textVersion, CONSENT_TEXT_VERSION) ? null : choice
}

/** Only who was told that the address of a subscription is passed on can have agreed to it. */
export function allowsEmail({ textVersion, granted }: ConsentChoice): boolean {
  return textVersion === EMAIL_TEXT_VERSION && granted.includes('marketing')
}
