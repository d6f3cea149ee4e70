import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { Stats } from '../stats/counts.ts'
import { listReachedCeilings } from './production-gaps.ts'

const NOW = Date.parse('2026-11-15T15:00:00Z')
const HOUR = 3_600_000

describe.each(ENGINES)('ceilings that were reached, on %s', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(engine)
  })
  afterAll(() => database.close())

  test('are told for a day, with what was turned away and when last', async () => {
    const { db } = database
    const config = { eventsPerHour: 50_000 }
    expect(await listReachedCeilings(db, config, NOW)).toEqual([])
    const stats = new Stats(db, console)
    stats.add({ series: 'site', key: 'ceiling:newsletter', at: NOW - 30 * HOUR, by: 7 })
    stats.add({ series: 'site', key: 'ceiling:newsletter', at: NOW - 5 * HOUR, by: 1_200 })
    stats.add({ series: 'site', key: 'ceiling:newsletter', at: NOW - HOUR, by: 34 })
    stats.add({ series: 'site', key: 'ceiling:event', at: NOW - HOUR })
    stats.add({ series: 'site', key: 'told', at: NOW - HOUR })
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
          'O limite de 6.000 inscrições na newsletter por hora foi atingido (última vez: 15/11, 11:00). Recusados nas últimas 24 horas: 1.234.',
      },
    ])
    expect(await listReachedCeilings(db, config, NOW + 30 * HOUR)).toEqual([])
  })
})
