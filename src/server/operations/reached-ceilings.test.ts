import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENGINES, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { SiteCounts } from '../stats/site-counts.ts'
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
    const counts = new SiteCounts(db, console)
    counts.add('ceiling:newsletter', NOW - 30 * HOUR, 7)
    counts.add('ceiling:newsletter', NOW - 5 * HOUR, 1_200)
    counts.add('ceiling:newsletter', NOW - HOUR, 34)
    counts.add('ceiling:event', NOW - HOUR)
    counts.add('told', NOW - HOUR)
    await counts.stop()
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
