import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '#contract/durations.ts'
import { makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { parseConfig } from '../config.ts'
import { ceilingKey } from '../http/limits/limits.ts'
import { Stats } from '../stats/counts.ts'
import { listReachedCeilings } from './production-gaps.ts'

const NOW = Date.parse('2026-11-15T15:00:00Z')

describe.each(TIER_ENGINES)('reached ceilings, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('are reported for a day, with the number and the last time', async () => {
    const { db } = database
    const config = parseConfig({ EVENTS_PER_HOUR: '50000' })
    expect(await listReachedCeilings(db, config, NOW)).toEqual([])
    const stats = new Stats(db, console)
    stats.add({ series: 'site', key: 'ceiling:newsletter', at: NOW - 30 * HOUR_MS, by: 7 })
    stats.add({ series: 'site', key: 'ceiling:newsletter', at: NOW - 5 * HOUR_MS, by: 1_200 })
    stats.add({ series: 'site', key: 'ceiling:newsletter', at: NOW - HOUR_MS, by: 34 })
    stats.add({ series: 'site', key: 'ceiling:event', at: NOW - HOUR_MS })
    stats.add({ series: 'site', key: 'choice:accepted', at: NOW - HOUR_MS })
    await stats.stop()
    expect(await listReachedCeilings(db, config, NOW)).toEqual([
      {
        code: 'ceiling_event',
        message:
          'O limite de 50.000 eventos para plataformas por hora foi atingido (última vez: 15/11, 11:00). Recusados nas últimas 24 horas: 1. Se forem visitas reais, aumente EVENTS_PER_HOUR.',
      },
      {
        code: 'ceiling_newsletter',
        message:
          'O limite de 6.000 inscrições na newsletter por hora foi atingido (última vez: 15/11, 11:00). Recusados nas últimas 24 horas: 1.234. Se forem visitas reais, aumente SUBSCRIPTIONS_PER_HOUR.',
      },
    ])
    expect(await listReachedCeilings(db, config, NOW + 30 * HOUR_MS)).toEqual([])
  })

  test('are announced from half of them on, as counted by all processes', async () => {
    const { db } = database
    const config = parseConfig({ CHOICES_PER_HOUR: '20000' })
    const [later, over] = [NOW + 60 * HOUR_MS, NOW + 61 * HOUR_MS]
    const use = (what: 'consent' | 'event', count: number) =>
      db
        .insertInto('rate_windows')
        .values({ key: ceilingKey(what), count, expires_at: new Date(over).toISOString() })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ count }))
        .execute()
    await use('event', 49_999)
    await use('consent', 9_999)
    expect(await listReachedCeilings(db, config, later)).toEqual([])
    await use('consent', 13_000)
    expect(await listReachedCeilings(db, config, later)).toEqual([
      {
        code: 'ceiling_near_consent',
        message:
          'Nesta hora já foram guardados 13.000 de até 20.000 registros de consentimento (65%). Se forem visitas reais, aumente CHOICES_PER_HOUR.',
      },
    ])
    expect(await listReachedCeilings(db, config, over)).toEqual([])
  })
})
