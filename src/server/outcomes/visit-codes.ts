import type { FastifyInstance } from 'fastify'
import { type ClickId, readCampaign } from '#contract/campaign.ts'
import { isClickId } from '#contract/click-ids.ts'
import { DAY_MS } from '#contract/durations.ts'
import { allowsVisitCode, VISIT_CODE, VISIT_CODE_DAYS, VISITS_PATH } from '#contract/visit-code.ts'
import type { Channel } from '#contract/visit-report.ts'
import { visitSchema } from '#contract/visits.ts'
import { readChoice } from '../consent/choice.ts'
import type { Db } from '../db/database.ts'
import { isUnexpired } from '../db/time.ts'
import { AppError } from '../http/errors.ts'
import { BODY_BYTES } from '../http/limits/limits.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '../http/limits/public.ts'
import type { SecretKey } from '../secrets/secret-key.ts'
import { decryptWith, encryptWith, type SecretPlace } from '../secrets/secrets.ts'
import { deriveKey } from '../secrets/tokens.ts'
import { arrivalOf, readSource } from '../visits/arrival.ts'

type ClickIds = Partial<Record<ClickId, string>>

/** Where a visitor came from who accepted "desempenho" or "marketing" and went on to the app. */
export interface Visit {
  /** Ask it again before anything is sent: the choice may have changed since. */
  consentId: string
  channel: Channel
  /** As visits count it: empty for none, `*` if it may name a person. */
  campaign: string
  /** Empty without consent to marketing. */
  clickIds: ClickIds
  /** When a link to the app was used. */
  at: number
  /** Derived from the code, so that it is stored nowhere. */
  secret: Buffer
}

const KEPT_MS = VISIT_CODE_DAYS * DAY_MS

/**
 * The visit of a code that the app received in `portico_visit`. Null if the code is none, is unknown or has expired, or
 * if the visitor withdrew the consent.
 * @example
 * const visit = await findVisit(db, 'v_0f8fad5bd9cb469fa165708677289f01', Date.now())
 */
export async function findVisit(db: Db, code: string, now: number): Promise<Visit | null> {
  if (!VISIT_CODE.test(code)) return null
  const row = await db
    .selectFrom('visit_codes')
    .select(['consent_id', 'channel', 'campaign', 'click_ids', 'created_at'])
    .where('id', '=', idOf(code))
    .executeTakeFirst()
  if (row === undefined || !isUnexpired(Date.parse(row.created_at) + KEPT_MS, KEPT_MS, now)) return null
  return {
    consentId: row.consent_id,
    channel: row.channel,
    campaign: row.campaign,
    clickIds: row.click_ids === null ? {} : await decryptClickIds(code, row.click_ids),
    at: Date.parse(row.created_at),
    secret: deriveKey(code, 'events'),
  }
}

interface VisitCodeDeps {
  db: Db
  guard: PublicGuard
  ownHosts: ReadonlySet<string>
}

/**
 * `POST /api/visits`, which the page calls when a visitor opens a link that carries the code. Consent is read from the
 * cookie; without it nothing is stored. A repeated call changes nothing.
 */
export function registerVisitCodes(app: FastifyInstance, { db, guard, ownHosts }: VisitCodeDeps): void {
  app.post(VISITS_PATH, { bodyLimit: BODY_BYTES.visit }, async (request, reply) => {
    guardPublicPost(guard, request, 'visit-code')
    const parsed = visitSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not a visit')
    const { code, query = '', referrer } = parsed.data
    reply.code(204).header('cache-control', 'no-store')
    const choice = readChoice(request.headers.cookie)
    if (choice === null || !allowsVisitCode(choice.granted)) return reply.send()
    const { channel, campaign } = readSource(arrivalOf(query, referrer), ownHosts, '')
    const row = {
      id: idOf(code),
      consent_id: choice.id,
      channel,
      campaign,
      click_ids: choice.granted.includes('marketing')
        ? await encryptClickIds(code, readClickIds(query))
        : null,
      created_at: new Date().toISOString(),
    }
    await storeWithin(guard, request, 'visit-code', async (giveBack) => {
      const stored = await db
        .insertInto('visit_codes')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (stored === undefined) giveBack()
    })
    return reply.send()
  })
}

/**
 * Deletes the visits of a consent that no longer allows them, and their click IDs once marketing is refused. Reads
 * first, because most choices have nothing to delete and should cost no write.
 */
export async function withdrawVisits(
  db: Db,
  { consentId, granted }: { consentId: string; granted: readonly string[] },
): Promise<void> {
  if (granted.includes('marketing')) return
  const kept = await db
    .selectFrom('visit_codes')
    .select('id')
    .where('consent_id', '=', consentId)
    .limit(1)
    .executeTakeFirst()
  if (kept === undefined) return
  await (allowsVisitCode(granted)
    ? db.updateTable('visit_codes').set({ click_ids: null }).where('consent_id', '=', consentId).execute()
    : db.deleteFrom('visit_codes').where('consent_id', '=', consentId).execute())
}

/** Of all click IDs of a visit together: an address has one or two, of up to 200 characters. */
const MAX_CLICK_ID_LENGTH = 1_000

/** The first ones that fit. A longer one is left out: cut, it would be of no use. */
function readClickIds(query: string): ClickIds {
  const found: ClickIds = {}
  let space = MAX_CLICK_ID_LENGTH
  for (const [name, value] of readCampaign(query)) {
    if (!isClickId(name) || value.length > space) continue
    found[name] = value
    space -= value.length
  }
  return found
}

/**
 * The code itself is not stored: what is stored under it can be found and read only by somebody who has the code. So a
 * copy of the database reveals no click ID, and a new secret key does not have to encrypt millions of rows again.
 */
function idOf(code: string): string {
  return deriveKey(code, 'id').toString('base64url')
}

async function encryptClickIds(code: string, clickIds: ClickIds): Promise<string | null> {
  if (Object.keys(clickIds).length === 0) return null
  return encryptWith(keyOf(code), placeOf(code), JSON.stringify(clickIds))
}

async function decryptClickIds(code: string, encrypted: string): Promise<ClickIds> {
  return JSON.parse(await decryptWith(keyOf(code), placeOf(code), encrypted))
}

function keyOf(code: string): SecretKey {
  return { id: 'visit-code', bytes: deriveKey(code, 'click-ids') }
}

function placeOf(code: string): SecretPlace {
  return { table: 'visit_codes', column: 'click_ids', row: idOf(code) }
}
