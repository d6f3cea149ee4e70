import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { explain, sentStatements } from '#tests/support/sent-statements.ts'
import { KEPT } from '#tests/support/sweep-table.ts'
import { listActivity, readActivityQuery } from './activity/admin-routes.ts'
import {
  addToCheckpoint,
  appendLeaves,
  listCheckpoints,
  makeCheckpoint,
  readCheckpointState,
} from './consent/checkpoints.ts'
import { ChoiceCounts, summarizeConsent } from './consent/choice-counts.ts'
import { ConsentNotices } from './consent/notice.ts'
import { exportEvidence } from './consent/proof/export.ts'
import { eraseRecords, findRecordsByCode } from './consent/records.ts'
import { expireConversions, measureDeliveries } from './conversions/outcomes.ts'
import { listSending } from './conversions/targets.ts'
import { withholdEvents } from './conversions/withdraw.ts'
import { type Database, openDatabase, SQLITE_FILE } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { retention } from './db/retention.ts'
import { STEP_ROWS, sweepRows } from './db/sweep.ts'
import { requeue } from './newsletter/admin-routes.ts'
import {
  countSubscriptions,
  exportSubscriptions,
  listSubscriptions,
  measureQueue,
} from './newsletter/subscriptions.ts'
import { adoptSubscriptions } from './newsletter/webhook.ts'
import { claimDue, findDue, makeDue, releaseEveryLease } from './outbox/queue.ts'
import { readHistory } from './pixels/history.ts'
import { readTrash } from './pixels/trash.ts'
import { Stats, sweepCounts } from './stats/counts.ts'
import { sweepOlderCounts } from './stats/older-counts.ts'
import { readConversions } from './tags/health/observations.ts'
import { readOverview } from './tags/health/overview.ts'
import { readToday } from './tags/health/today.ts'
import { readVisitResults, readVisitResultsBetween } from './tags/health/visit-results.ts'

/** Tables that grow with visits, years or people; pixels and hosts are as many as somebody typed. */
const LARGE =
  'tag_reports|tag_evidence|site_counts|counts|consent_records|consent_leaves|consent_tree_nodes|consent_seals|audit_events|rate_limits|newsletter_subscriptions|deliveries|delivery_counts|auth_\\w+|old|newer'
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
  const set = { version: 'v', tags: [{ id: pixelId, category: 'marketing' }] } as never
  const stats = new Stats(database.db, { warn })
  const refusals = new ChoiceCounts({
    db: database.db,
    stats,
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
  await stats.stop()
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
  expect(await addToCheckpoint(database.db, { now: Date.now() + ++minute * 60_000 })).not.toBeNull()
}
async function exportSealed(): Promise<void> {
  const to = new Date().toISOString()
  const options = { site: 'x', from: '2026-01-01T00:00:00.000Z', to }
  for await (const text of exportEvidence(database.db, options)) expect(text).not.toBe('')
}
async function findPremises(): Promise<void> {
  const notice = { version: 2, language: 'pt-BR', text: '', html: '' }
  const log = { warn: (error: object) => expect(error).toBeNull() }
  const premises = new ConsentNotices({ db: database.db, log, notices: [notice], retentionDays: 1 })
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
    () =>
      readVisitResults(
        database.db,
        pixelId,
        readVisitResultsBetween({ from: '2026-08-18', to: '2026-11-15' }),
      ),
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
  ['deliveries that nobody takes any more', () => expireConversions(database.db)],
  [
    'what a withdrawal deletes',
    () => withholdEvents(database.db, true, { consentId: pixelId, granted: [], cookieHeader: undefined }),
  ],
  ['releasing what a killed server left', () => releaseEveryLease(database.db, now)],
  ['putting subscriptions back into the queue', () => requeue(database.db, now)],
  ['another try of what waits of a pixel', () => makeDue(database.db, { pixelId }, now)],
  ['sweeping counts', () => sweepCounts(database.db, { reportDays: 1 })],
  ['sweeping counts of older processes', () => sweepOlderCounts(database.db, { reportDays: 1 })],
  ['erasing records of consent', () => eraseRecords(database.db, { consentDays: 1 })],
  ['sealing records of consent', () => seal(1)],
  // As many as are looked at in one step: how a join is made depends on it.
  ['sealing a whole step of records', () => seal(STEP_ROWS)],
  ['the state of the seals', () => readCheckpointState(database.db)],
  ['the list of seals', () => listCheckpoints(database.db, { before: 5, limit: 5 })],
  ['choices by their code', () => findRecordsByCode(database.db, '0B6E1C9A-8A53')],
  ['choices by day', () => summarizeConsent(database.db, { from: '2026-11-01', to: '2026-11-15' })],
  ['an export of evidence', exportSealed],
  ['the premises of a choice', findPremises],
  ...retention(KEPT).map((row): [string, () => Promise<unknown>] => [
    `removing by age: ${row.what}`,
    () => sweepRows(database.db, row),
  ]),
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
  const statements = await sentStatements(() => makeCheckpoint(database.db, Date.now() + 3_600_000))
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
