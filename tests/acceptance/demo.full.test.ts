import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { OutcomeDeliveryState, OutcomeDestination } from '#contract/outcomes.ts'
import { exportConsentProof } from '#server/consent/proof/export.ts'
import { verifyGraph } from '#server/consent/proof/verify.ts'
import { readConfirmations } from '#server/conversions/confirmations.ts'
import { readDeliveryResult } from '#server/conversions/delivery-results.ts'
import { type Database, type Db, openDatabase } from '#server/db/database.ts'
import { readReport } from '#server/outcomes/report.ts'
import { readCounts, sumCounts } from '#server/stats/counts.ts'
import {
  DEMO_PRINCIPAL,
  DEMO_UNTIL,
  DEMO_WANTED,
  demoPast,
  makeDemoPast,
  removeOld,
} from '../support/demo-past.ts'

describe('the data of a demonstration', () => {
  let database: Database
  let db: Db
  beforeAll(async () => {
    database = openDatabase({ dataDir: await demoPast(DEMO_WANTED), databaseUrl: null })
    db = database.db
  }, 300_000)
  afterAll(() => database.close())

  test('have the same visit results by hour and by day', async () => {
    const by = async (series: 'tag.result' | 'set.refusal', resolution: 'hour' | 'day') =>
      (await sumCounts(db, { series, resolution, from: 0 })).sort((a, b) =>
        `${a.subject} ${a.key}` < `${b.subject} ${b.key}` ? -1 : 1,
      )
    for (const [series, keys] of [
      ['tag.result', ['ran', 'blocked', 'failed']],
      ['set.refusal', ['desempenho', 'funcionalidade', 'marketing']],
    ] as const) {
      const days = await by(series, 'day')
      expect(days).toEqual(await by(series, 'hour'))
      expect(days.every(({ count }) => count > 0)).toBe(true)
      expect(new Set(days.map(({ key }) => key))).toEqual(new Set(keys))
    }
  })

  test('have the same visits in all and by source, on every day, with clicks and robots', async () => {
    const days = await readCounts(db, { series: 'visit', resolution: 'day', from: 0 })
    const sources = await readCounts(db, { series: 'visit.source', resolution: 'day', from: 0 })
    const sumOf = (rows: readonly { key: string; at: string; count: number }[], key: string, at?: string) =>
      rows
        .filter((row) => row.key.split(' ')[0] === key && (at === undefined || row.at === at))
        .reduce((sum, { count }) => sum + count, 0)
    const starts = [...new Set(days.map(({ at }) => at))]
    expect(starts).toHaveLength(DEMO_WANTED.days + 1)
    for (const at of starts) {
      for (const key of ['visits', 'visitors'])
        expect(sumOf(sources, key, at), `${key} ${at}`).toBe(sumOf(days, key, at))
      for (const name of ['lead', 'contact'])
        expect(sumOf(sources, name, at), `${name} ${at}`).toBe(sumOf(days, `click:${name}`, at))
    }
    for (const key of ['visits', 'visitors', 'click:lead', 'click:contact', 'robots'])
      expect(sumOf(days, key), key).toBeGreaterThan(0)
    expect(sumOf(days, 'visitors')).toBeLessThan(sumOf(days, 'visits'))
    expect(sumOf(days, 'estimated')).toBe(0)
    expect(sumOf(days, 'unresolved')).toBe(0)
  })

  test('count each visit that chose once, by its last choice', async () => {
    const counted = await sumCounts(db, { series: 'site', resolution: 'day', from: 0 })
    const chosen = counted
      .filter(({ key }) => key.startsWith('choice:'))
      .reduce((sum, { count }) => sum + count, 0)
    const { records, people } = await db
      .selectFrom('consent_records')
      .select((eb) => [
        eb.fn.countAll<number>().as('records'),
        eb.fn.count<number>('consent_id').distinct().as('people'),
      ])
      .executeTakeFirstOrThrow()
    expect(chosen).toBeGreaterThanOrEqual(people)
    expect(chosen).toBeLessThanOrEqual(records)
  })

  test('have checkpoints, and the verifier of the product confirms every record', async () => {
    const site = 'http://localhost:3000'
    const lines = exportConsentProof(db, { site, from: null, to: null })
    const verified = await verifyGraph(Readable.from(encode(lines)))
    const { records } = await db
      .selectFrom('consent_records')
      .select((eb) => eb.fn.countAll<number>().as('records'))
      .executeTakeFirstOrThrow()
    expect(verified).toMatchObject({ site, records, erased: 0, waiting: 0 })
    expect(verified.checkpointCount).toBeGreaterThan(DEMO_WANTED.days * 4)
  })

  test('have no row whose other half is missing', async () => {
    expect((await sql`pragma foreign_key_check`.execute(db)).rows).toEqual([])
    const { rows: subjects } = await sql<{ subject: string }>`
      select subject from counts where subject <> '' and series not in ('set.refusal', 'outcome')
        and subject not in (select id from tracking_pixels)
      union select subject from counts where series = 'outcome' and subject <> ''
        and subject not in (select name from outcome_names)
      union select key from counts where series = 'outcome.delivery'
        and (subject, substr(key, 1, instr(key, ' ') - 1)) not in (select pixel_id, name from outcome_events)
      union select subject from counts where series = 'set.refusal' and subject not in (select version from tag_sets)
      union select subject from audit_events
        where (action like 'tracking_pixels.%' or action like 'tags.%') and subject not in (select id from tracking_pixels)
      union select pixel_id from tag_periods where pixel_id not in (select id from tracking_pixels)`.execute(
      db,
    )
    expect(subjects).toEqual([])
    const { rows: unproved } = await sql`
      select id from consent_records
      where notice_hash not in (select hash from consent_notices) or parties_hash not in (select hash from consent_parties)
        or leaf_position not in (select position from consent_leaves)`.execute(db)
    expect(unproved).toEqual([])
  })

  test('show outcomes of clicks, some tied to the visit of somebody who consented', async () => {
    const outcomes = await sumCounts(db, { series: 'outcome', resolution: 'day', from: 0 })
    expect(outcomes.map(({ subject, key }) => `${subject} ${key}`).sort()).toEqual([
      'conta_aprovada live tied',
      'conta_aprovada live untied',
      'primeira_venda live tied',
      'primeira_venda live untied',
    ])
    const { rows: unknown } = await sql`
      select id from visit_codes where consent_id not in (select consent_id from consent_records)`.execute(db)
    expect(unknown).toEqual([])
  })

  test('show what platforms got of the outcomes: accepted, refused and waiting, never more than were tied', async () => {
    const { rows, destinations } = await readReport(db, { mode: 'live', days: 90 }, '', DEMO_UNTIL)
    const chosen = rows.flatMap(({ name, tied, deliveries }) =>
      deliveries
        .filter(({ event }) => event !== null)
        .map((delivery) => ({ ...delivery, tied, name, to: nameOf(destinations, delivery.pixel_id) })),
    )
    expect(
      chosen.map(
        ({ name, to, event, sends_value }) => `${name} → ${to}: ${event}${sends_value ? ' + valor' : ''}`,
      ),
    ).toEqual([
      'conta_aprovada → CRM (webhook): outcome.conta_aprovada',
      'conta_aprovada → ERP (webhook): outcome.conta_aprovada',
      'conta_aprovada → Meta Pixel: CompleteRegistration',
      'conta_aprovada → Meta Pixel (parceiros): CompleteRegistration',
      'primeira_venda → ERP (webhook): outcome.primeira_venda + valor',
      'primeira_venda → Meta Pixel: Purchase + valor',
    ])
    const sum = (state: OutcomeDeliveryState) => chosen.reduce((all, { states }) => all + states[state], 0)
    for (const state of ['accepted', 'refused', 'waiting', 'unmatched'] as const)
      expect(sum(state), state).toBeGreaterThan(0)
    for (const { name, to, states, not_sent, tied } of chosen) {
      expect(states.accepted, `${name} → ${to}`).toBeGreaterThan(0)
      const all = Object.values(states).reduce((total, count) => total + count, not_sent)
      expect(all, `${name} → ${to}`).toBe(tied)
    }
  })

  test('lie between the first day and the end', async () => {
    const { first, last } = await db
      .selectFrom('consent_records')
      .select((eb) => [eb.fn.min('created_at').as('first'), eb.fn.max('created_at').as('last')])
      .executeTakeFirstOrThrow()
    expect(Date.parse(String(first))).toBeGreaterThan(DEMO_UNTIL - (DEMO_WANTED.days + 1) * 86_400_000)
    expect(Date.parse(String(last))).toBeLessThan(DEMO_UNTIL + 10 * 60_000)
    const { clock_seen_at } = await db
      .selectFrom('site_state')
      .select('clock_seen_at')
      .executeTakeFirstOrThrow()
    expect(Date.parse(String(clock_seen_at))).toBe(DEMO_UNTIL)
  })

  test('send no subscription before it was made', async () => {
    const { all, early } = await db
      .selectFrom('newsletter_subscriptions')
      .select((eb) => [
        eb.fn.countAll<number>().as('all'),
        eb.fn.countAll<number>().filterWhere('delivered_at', '<', eb.ref('created_at')).as('early'),
      ])
      .executeTakeFirstOrThrow()
    expect(all).toBeGreaterThan(10)
    expect(early).toBe(0)
  })

  test('show conversions that were delivered, refused and wait, and a stop', async () => {
    const outcomes = await sumCounts(db, { series: 'conversion', resolution: 'day', from: 0 })
    const states = new Set(outcomes.map(({ key }) => readDeliveryResult(key).state))
    expect([...states]).toEqual(expect.arrayContaining(['accepted', 'refused']))
    expect(
      await db.selectFrom('deliveries').select('id').where('pixel_id', 'is not', null).execute(),
    ).not.toEqual([])
    expect(await db.selectFrom('delivery_stops').select('code').execute()).toEqual([
      { code: 'token_refused' },
    ])
  })

  test('show how many events Google confirmed', async () => {
    const { id } = await db
      .selectFrom('tracking_pixels')
      .select('id')
      .where('destination', '=', 'google_ads')
      .executeTakeFirstOrThrow()
    const { confirmations } = await readConfirmations(db, id, 0)
    expect(confirmations).toMatchObject({ confirmed: expect.toSatisfy((count) => count > 0), unanswered: 0 })
  })

  test('show what three administrators did, a trash, alerts and a paused tag', async () => {
    const actors = await db.selectFrom('audit_events').select('actor').distinct().execute()
    expect(actors.map(({ actor }) => actor)).toEqual(
      expect.arrayContaining([
        DEMO_PRINCIPAL.email,
        'helena.duarte@portico.example',
        'rafael.moura@portico.example',
        'disjuntor',
      ]),
    )
    expect(
      await db.selectFrom('tracking_pixels').select('name').where('deleted_at', 'is not', null).execute(),
    ).toHaveLength(2)
    expect(await db.selectFrom('tag_breakers').select('state').execute()).toContainEqual({ state: 'paused' })
    expect(await db.selectFrom('alert_mails').select('id').execute()).not.toEqual([])
  })
})

test('the same seed makes the same counts and texts, another one others', { timeout: 300_000 }, async () => {
  const data: unknown[] = []
  for (const seed of ['a', 'a', 'b']) {
    const dataDir = await makeDemoPast({ days: 1, visits: 40, seed })
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    data.push(await describeData(dataDir))
  }
  const [one, same, other] = data
  expect(same).toEqual(one)
  expect(other).not.toEqual(one)
})

test('pasts of other sources are removed, and one that is being made stays', () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-demo-cache-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const name of ['now', 'before', 'new-running', 'new-killed']) mkdirSync(join(directory, name))
  utimesSync(join(directory, 'new-killed'), 0, 0)
  removeOld(directory, 'now')
  expect(readdirSync(directory).sort()).toEqual(['new-running', 'now'])
})

const nameOf = (pixels: readonly OutcomeDestination[], id: string) =>
  pixels.find((one) => one.id === id)?.name

/** Everything but what is made of chance by intention: ids, keys, tokens, and which of several that wait is tried first. */
async function describeData(dataDir: string) {
  const { db, close } = openDatabase({ dataDir, databaseUrl: null })
  const rows = async (query: ReturnType<typeof sql<Record<string, unknown>>>) =>
    (await query.execute(db)).rows
  const data = {
    counts: await rows(
      sql`select subject, series, resolution, at, key, count from counts order by 1, 2, 3, 4, 5`,
    ),
    pixels: await rows(
      sql`select id, name, code, created_at, updated_at, deleted_at from tracking_pixels order by id`,
    ),
    choices: await rows(
      sql`select consent_id, action, categories, created_at from consent_records order by 1, 4`,
    ),
    seals: await rows(sql`select sequence, sealed_at, leaf_count from consent_seals order by 1`),
    subscriptions: await rows(
      sql`select email, status, attempts, created_at, last_error from newsletter_subscriptions order by 1`,
    ),
    activity: await rows(
      sql`select actor, action, created_at from audit_events order by created_at, action, actor`,
    ),
    waiting: await rows(sql`select kind, count(*) as count from deliveries group by 1 order by 1`),
    log: await rows(
      sql`select state, answer, message, count(*) as count from delivery_log where state <> 'waiting' group by 1, 2, 3 order by 1, 2, 3`,
    ),
  }
  await close()
  return data
}

async function* encode(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const line of lines) yield encoder.encode(line)
}
