import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeStorage, type Storage } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import {
  explain,
  findScans,
  LARGE_TABLES,
  sentStatements,
  statementsOn,
} from '#tests/support/sent-statements.ts'
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
import { exportConsentProof } from './consent/proof/export.ts'
import { eraseRecords, findRecordsByCode } from './consent/records.ts'
import { expireConversions, measureDeliveries } from './conversions/delivery-results.ts'
import { listSending } from './conversions/targets.ts'
import { withholdEvents } from './conversions/withdraw.ts'
import { type Database, openDatabase, SQLITE_FILE } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { retention } from './db/retention.ts'
import { STEP_ROWS, sweepRows } from './db/sweep.ts'
import { readInventory } from './inventory/admin-routes.ts'
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

const SORTS_ALL = /USE TEMP B-TREE FOR ORDER BY/

describe.each(ENGINES)('on %s', (engine) => {
  let storage: Storage
  let database: Database
  beforeAll(async () => {
    storage = await makeStorage(engine)
    database = openDatabase(storage)
    await migrate(database.db)
    await insertPixel(database.db, { id: pixelId, type: 'meta', is_active: false })
  })
  afterAll(async () => {
    await database.close()
    await storage.remove()
  })

  async function readAuthorisedPixels(): Promise<void> {
    await database.db.updateTable('tracking_pixels').set({ is_active: true }).execute()
    const ports = { nameVendor: (id: string) => id, isInHtml: () => false, checksFiles: false }
    expect((await readInventory({ db: database.db, ...ports })).items).toHaveLength(1)
  }
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
  async function makeNextCheckpoint(choices: number): Promise<void> {
    await insertChoices(choices)
    expect(await addToCheckpoint(database.db, { now: Date.now() + ++minute * 60_000 })).not.toBeNull()
  }
  async function exportRecords(): Promise<void> {
    const to = new Date().toISOString()
    const options = { site: 'x', from: '2026-01-01T00:00:00.000Z', to }
    for await (const text of exportConsentProof(database.db, options)) expect(text).not.toBe('')
  }
  async function findNotice(): Promise<void> {
    const notice = { version: 2, language: 'pt-BR', text: '', html: '' }
    const log = { warn: (error: object) => expect(error).toBeNull() }
    const notices = new ConsentNotices({ db: database.db, log, notices: [notice], retentionDays: 1 })
    expect(await notices.noticeOf(1, 'x')).toMatchObject({ notice_hash: null, parties_hash: null })
  }
  const tags = { prepared: new Map(), current: { trustsContainer: false, leftOut: new Set() } } as never
  const readTags = () => readOverview({ db: database.db, tags, ownHosts: new Set(), measureHead: () => 0 })
  const WORK: [string, () => Promise<unknown>][] = [
    ['the overview of the tags', readTags],
    [
      'the visit results of a pixel',
      () =>
        readVisitResults(
          database.db,
          pixelId,
          readVisitResultsBetween({ from: '2026-08-18', to: '2026-11-15' }),
        ),
    ],
    ['the conversions of a pixel', () => readConversions(database.db, pixelId)],
    [
      'the history of a pixel',
      () => readHistory(database.db, pixelId, `2026-11-15T10:00:00.000Z_${pixelId}`),
    ],
    ['counting refusals', countRefusals],
    [
      'the figures of today',
      () =>
        readToday({
          db: database.db,
          countsVisits: true,
          countSubscriptions: (spans) => countSubscriptions(database.db, spans),
        }),
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
    ['claiming due events of a pixel', () => claimDue(database.db, { ...claim, scope: { pixelId } })],
    ['claiming due subscriptions', () => claimDue(database.db, { ...claim, scope: { kind: 'newsletter' } })],
    ['claiming due mail', () => claimDue(database.db, { ...claim, scope: { kind: 'mail' } })],
    ['looking for the first due mail', () => findDue(database.db, { kind: 'mail' })],
    ['queueing subscriptions that are not queued', () => adoptSubscriptions(database.db, now)],
    ['measuring the queue', () => measureQueue(database.db)],
    ['measuring waiting jobs by kind', () => measureDeliveries(database.db)],
    ['the pixels that send', () => listSending(database.db, now)],
    ['expiring conversions', () => expireConversions(database.db)],
    [
      'withholding the events of a withdrawal',
      () => withholdEvents(database.db, true, { consentId: pixelId, granted: [], cookieHeader: undefined }),
    ],
    ['releasing the leases of a killed server', () => releaseEveryLease(database.db, now)],
    ['putting subscriptions back into the queue', () => requeue(database.db, now)],
    ['retrying the waiting events of a pixel', () => makeDue(database.db, { pixelId }, now)],
    ['sweeping counts', () => sweepCounts(database.db, { reportDays: 1, visitDays: 761 })],
    ['sweeping counts of older processes', () => sweepOlderCounts(database.db, { reportDays: 1 })],
    ['erasing records of consent', () => eraseRecords(database.db, { consentDays: 1 })],
    ['making a checkpoint of consent records', () => makeNextCheckpoint(1)],
    // A whole step: the query plan depends on the number of rows.
    ['making a checkpoint of a whole step of records', () => makeNextCheckpoint(STEP_ROWS)],
    ['the state of the checkpoints', () => readCheckpointState(database.db)],
    ['the list of checkpoints', () => listCheckpoints(database.db, { before: 5, limit: 5 })],
    ['choices by their code', () => findRecordsByCode(database.db, '0B6E1C9A-8A53')],
    ['choices by day', () => summarizeConsent(database.db, { from: '2026-11-01', to: '2026-11-15' })],
    ['an export of consent records', exportRecords],
    ['the notice of a choice', findNotice],
    ...retention(KEPT).map((row): [string, () => Promise<unknown>] => [
      `removing by age: ${row.what}`,
      () => sweepRows(database.db, row),
    ]),
  ]

  test.each(WORK)('%s scans no large table', async (_what, work) => {
    const statements = await statementsOn(storage, work)
    expect(statements.length).toBeGreaterThan(0)
    expect(await findScans(storage, statements)).toEqual([])
    if (engine === 'postgres') return
    const large = statements.filter(({ sql }) =>
      [...LARGE_TABLES].some((table) => sql.includes(`"${table}"`)),
    )
    const plans = large.map((statement) => explain(join(storage.dataDir, SQLITE_FILE), statement))
    expect(plans.flat().filter((step) => SORTS_ALL.test(step))).toEqual([])
  })

  test('a checkpoint reads no record, however many are new', async () => {
    await makeNextCheckpoint(1)
    await insertChoices()
    expect(await appendLeaves(database.db)).toBe(1)
    const statements = await statementsOn(storage, () => makeCheckpoint(database.db, Date.now() + 3_600_000))
    expect(statements.some(({ sql }) => sql.includes('consent_seals'))).toBe(true)
    expect(statements.filter(({ sql }) => sql.includes('consent_records'))).toEqual([])
  })

  test.each([
    [
      'the health of the tags',
      'counts USING PRIMARY KEY (subject=? AND series=? AND resolution=? AND at>?)',
      readTags,
    ],
    ['authorisations of pixels', 'audit_events_switched_on_idx', readAuthorisedPixels],
    [
      'a search of subscriptions',
      'COVERING INDEX newsletter_subscriptions_search_idx',
      () => listSubscriptions(database.db, { search: 'x' }),
    ],
  ])('%s uses its index', async (_what, index, work) => {
    if (engine === 'postgres') return
    const statements = await statementsOn(storage, work)
    const plans = statements.flatMap((statement) => explain(join(storage.dataDir, SQLITE_FILE), statement))
    expect(plans.join('\n')).toContain(index)
  })

  test.each([
    ['a pixel', { pixelId }, '(pixel_id=? AND next_attempt_at'],
    ['the newsletter', { kind: 'newsletter' as const }, '(kind=? AND next_attempt_at'],
  ])('finds due jobs of %s by time, not among all waiting ones', async (_what, scope, index) => {
    if (engine === 'postgres') return
    const statements = await sentStatements(() => claimDue(database.db, { ...claim, scope }))
    const plans = statements.map((statement) =>
      explain(join(storage.dataDir, SQLITE_FILE), statement).join('\n'),
    )
    expect(plans).toHaveLength(2)
    expect(plans[0]).toContain(`${index}<?)`)
    expect(plans[1]).toContain(`${index}>?)`)
  })
})
