import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { explain, sentStatements } from '#tests/support/sent-statements.ts'
import { listActivity, readActivityQuery } from './activity/list-activity.ts'
import { sweepExpired } from './auth/sessions/sweep-expired.ts'
import { readHistory } from './data/history/read-history.ts'
import { readTrash } from './data/trash/read-trash.ts'
import { sweepTrash } from './data/trash/sweep-trash.ts'
import { type Database, openDatabase, SQLITE_FILE } from './db/database.ts'
import { STEP_ROWS } from './db/in-steps.ts'
import { makeDue } from './db/make-due.ts'
import { migrate } from './db/migrate.ts'
import { sweepAudit } from './db/sweep-audit.ts'
import { claimDue, findDue, releaseEveryLease } from './deliveries/claim-due.ts'
import { listSending } from './deliveries/list-sending.ts'
import { measureDeliveries } from './deliveries/measure-deliveries.ts'
import { adoptSubscriptions } from './deliveries/newsletter/adopt-subscriptions.ts'
import { sweepDeliveries } from './deliveries/sweep-deliveries.ts'
import { withholdEvents } from './events/withhold-events.ts'
import { appendLeaves } from './evidence/append-leaves.ts'
import { ConsentPremises } from './evidence/consent-premises.ts'
import { eraseRecords } from './evidence/erase-records.ts'
import { exportEvidence } from './evidence/file/export-evidence.ts'
import { findRecordsByCode } from './evidence/find-records-by-code.ts'
import { listSeals } from './evidence/list-seals.ts'
import { makeSeal } from './evidence/make-seal.ts'
import { readSealState } from './evidence/read-seal-state.ts'
import { sealRecords } from './evidence/seal-records.ts'
import { summarizeConsent } from './evidence/summarize-consent.ts'
import { countSubscriptions } from './newsletter/count-subscriptions.ts'
import { exportSubscriptions } from './newsletter/export-subscriptions.ts'
import { listSubscriptions } from './newsletter/list-subscriptions.ts'
import { measureQueue } from './newsletter/measure-queue.ts'
import { requeue } from './newsletter/requeue.ts'
import { readLedger } from './tags/ledger/read-ledger.ts'
import { readLedgerRange } from './tags/ledger/read-ledger-range.ts'
import { RefusalBuffer } from './tags/ledger/refusal-buffer.ts'
import { readConversions } from './tags/read-conversions.ts'
import { readOverview } from './tags/read-overview.ts'
import { ReportBuffer } from './tags/report-buffer.ts'
import { sweepTagData } from './tags/sweep-tag-data.ts'
import { readToday } from './tags/today/read-today.ts'
import { SiteCounts } from './tags/today/site-counts.ts'

/** Tables that grow with visits, years or people; pixels and hosts are as many as somebody typed. */
const LARGE =
  'tag_reports|tag_evidence|site_counts|consent_records|consent_leaves|consent_tree_nodes|consent_seals|audit_events|rate_limits|newsletter_subscriptions|deliveries|delivery_counts|auth_\\w+|old|newer'
/** An index of nothing but what waits may be read from its start. */
const READS_WHOLE_TABLE = new RegExp(`^SCAN (${LARGE})\\b(?! USING INDEX consent_records_unsealed_idx)`)
const SORTS_ALL = /USE TEMP B-TREE FOR ORDER BY/

let storage: Storage
let database: Database
beforeAll(async () => {
  storage = await makeStorage('sqlite')
  database = openDatabase(storage)
  await migrate(database.db)
  await insertPixel(database.db, { id: pixelId, type: 'meta', is_active: false })
})
afterAll(async () => {
  await database.close()
  await storage.remove()
})

const now = Date.now()
const claim = { now, limit: 10, leaseMs: 1000, longestDelayMs: 3_600_000, atMostOnce: true }
async function exportAll(): Promise<void> {
  for await (const text of exportSubscriptions(database.db)) expect(text).toContain('email')
}
const pixelId = randomUUID()
async function countRefusals(): Promise<void> {
  const warn = (error: object) => expect(error).toBeNull()
  const reports = new ReportBuffer(database.db, { warn })
  const set = { version: 'v', tags: [{ id: pixelId, category: 'marketing' }] } as never
  const counts = new SiteCounts(database.db, { warn })
  const refusals = new RefusalBuffer({
    db: database.db,
    reports,
    counts,
    tags: { current: set, recent: [set] },
    log: { warn },
  })
  refusals.add({
    recordId: randomUUID(),
    consentId: randomUUID(),
    version: 'v',
    createdAt: new Date().toISOString(),
  })
  await refusals.stop()
  await reports.stop()
  await counts.stop()
}
async function insertChoices(count = 1): Promise<void> {
  await database.db
    .insertInto('consent_records')
    .values(
      Array.from({ length: count }, () => ({
        id: randomUUID(),
        consent_id: randomUUID(),
        action: 'reject',
        categories: '[]',
        text_version: 1,
        tag_set_version: '',
        created_at: new Date().toISOString(),
      })),
    )
    .execute()
}
let minute = 0
async function seal(choices: number): Promise<void> {
  await insertChoices(choices)
  expect(await sealRecords(database.db, { now: Date.now() + ++minute * 60_000 })).not.toBeNull()
}
async function exportSealed(): Promise<void> {
  const to = new Date().toISOString()
  const options = { site: 'x', from: '2026-01-01T00:00:00.000Z', to }
  for await (const text of exportEvidence(database.db, options)) expect(text).not.toBe('')
}
async function findPremises(): Promise<void> {
  const notice = { version: 2, language: 'pt-BR', text: '', html: '' }
  const log = { warn: (error: object) => expect(error).toBeNull() }
  const premises = new ConsentPremises({ db: database.db, log, notices: [notice], retentionDays: 1 })
  expect(await premises.premisesOf(1, 'x')).toMatchObject({ notice_hash: null, parties_hash: null })
}
const tags = { prepared: new Map(), current: { trustsContainer: false, leftOut: new Set() } } as never
const WORK: [string, () => Promise<unknown>][] = [
  [
    'the overview of the tags',
    () => readOverview({ db: database.db, tags, ownHosts: new Set(), measureHead: () => 0 }),
  ],
  [
    'the ledger of a pixel',
    () => readLedger(database.db, pixelId, readLedgerRange({ from: '2026-08-18', to: '2026-11-15' })),
  ],
  ['what a pixel told its vendor', () => readConversions(database.db, pixelId)],
  ['the history of a pixel', () => readHistory(database.db, pixelId, `2026-11-15T10:00:00.000Z_${pixelId}`)],
  ['counting refusals', countRefusals],
  [
    'the figures of today',
    () =>
      readToday({ db: database.db, countSubscriptions: (spans) => countSubscriptions(database.db, spans) }),
  ],
  ['the trash', () => readTrash(database.db)],
  ['sweeping the trash', () => sweepTrash(database.db)],
  ['the export of subscriptions', exportAll],
  ['the activity', () => listActivity(database.db, readActivityQuery({ kind: 'pixels' }))],
  [
    'the activity of a person',
    () => listActivity(database.db, readActivityQuery({ by: 'a@b.co', search: 'x' })),
  ],
  ['the list of subscriptions', () => listSubscriptions(database.db, {})],
  ['the list of subscriptions in one state', () => listSubscriptions(database.db, { status: 'failed' })],
  ['claiming what is due of a pixel', () => claimDue(database.db, { ...claim, scope: { pixelId } })],
  ['claiming due subscriptions', () => claimDue(database.db, { ...claim, scope: { kind: 'newsletter' } })],
  ['claiming due mail', () => claimDue(database.db, { ...claim, scope: { kind: 'mail' } })],
  ['looking for the first due mail', () => findDue(database.db, 'mail')],
  ['queueing subscriptions that are not queued', () => adoptSubscriptions(database.db, now)],
  ['measuring the queue', () => measureQueue(database.db)],
  ['measuring what waits, by kind', () => measureDeliveries(database.db)],
  ['which pixels send', () => listSending(database.db, now)],
  ['deliveries that nobody takes any more', () => sweepDeliveries(database.db, { reportDays: 1 })],
  [
    'what a withdrawal deletes',
    () => withholdEvents(database.db, true, { consentId: pixelId, granted: [], cookieHeader: undefined }),
  ],
  ['releasing what a killed server left', () => releaseEveryLease(database.db, now)],
  ['putting subscriptions back into the queue', () => requeue(database.db, now)],
  ['another try of what waits of a pixel', () => makeDue(database.db, { pixelId }, now)],
  ['sweeping logins and sessions', () => sweepExpired(database.db)],
  ['sweeping tag data', () => sweepTagData(database.db, { reportDays: 1 })],
  ['erasing records of consent', () => eraseRecords(database.db, { consentDays: 1 })],
  ['sealing records of consent', () => seal(1)],
  // As many as are looked at in one step: how a join is made depends on it.
  ['sealing a whole step of records', () => seal(STEP_ROWS)],
  ['the state of the seals', () => readSealState(database.db)],
  ['the list of seals', () => listSeals(database.db, { before: 5, limit: 5 })],
  ['choices by their code', () => findRecordsByCode(database.db, '0B6E1C9A-8A53')],
  ['choices by day', () => summarizeConsent(database.db, { from: '2026-11-01', to: '2026-11-15' })],
  ['an export of evidence', exportSealed],
  ['the premises of a choice', findPremises],
  ['sweeping the audit trail', () => sweepAudit(database.db, { auditDays: 1, failedLoginDays: 1 })],
]

test.each(WORK)('%s reads no large table from end to end', async (_what, work) => {
  const statements = await sentStatements(work)
  expect(statements.length).toBeGreaterThan(0)
  const plans = statements.map((statement) => explain(join(storage.dataDir, SQLITE_FILE), statement))
  const faults = plans.flat().filter((step) => READS_WHOLE_TABLE.test(step))
  expect(faults).toEqual([])
  const large = plans.filter((plan) => plan.some((step) => new RegExp(`\\b(${LARGE})\\b`).test(step)))
  expect(large.flat().filter((step) => SORTS_ALL.test(step))).toEqual([])
})

test('a seal looks at no record, however many are new in it', async () => {
  await seal(1)
  await insertChoices()
  expect(await appendLeaves(database.db)).toBe(1)
  const statements = await sentStatements(() => makeSeal(database.db, Date.now() + 3_600_000))
  expect(statements.some(({ sql }) => sql.includes('consent_seals'))).toBe(true)
  expect(statements.filter(({ sql }) => sql.includes('consent_records'))).toEqual([])
})

test.each([
  ['a pixel', { pixelId }, '(pixel_id=? AND next_attempt_at'],
  ['the newsletter', { kind: 'newsletter' as const }, '(kind=? AND next_attempt_at'],
])('what is due of %s is found by its time, and not among all that wait', async (_what, scope, index) => {
  const statements = await sentStatements(() => claimDue(database.db, { ...claim, scope }))
  const plans = statements.map((statement) =>
    explain(join(storage.dataDir, SQLITE_FILE), statement).join('\n'),
  )
  expect(plans).toHaveLength(2)
  expect(plans[0]).toContain(`${index}<?)`)
  expect(plans[1]).toContain(`${index}>?)`)
})
