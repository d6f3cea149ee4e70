import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { ENGINES, type EngineName, makeStorage, type Storage } from '#tests/support/engines.ts'
import { type Database, openDatabase } from './database.ts'
import { MIGRATIONS, migrate } from './migrate.ts'

/** The last migration of each release: a line is added with each, and none is removed. 0.1.0 is what ran before. */
const RELEASES: Record<string, string> = { '0.1.0': '0015-tag-evidence' }

const NAMES = Object.keys(MIGRATIONS)

let storage: Storage
let database: Database
afterEach(async () => {
  await database.close()
  await storage.remove()
})

async function upTo(engine: EngineName, last: string): Promise<Kysely<never>> {
  storage = await makeStorage(engine)
  database = openDatabase(storage)
  const count = NAMES.indexOf(last) + 1
  await migrate(database.db, Object.fromEntries(Object.entries(MIGRATIONS).slice(0, count)))
  return database.db as unknown as Kysely<never>
}

/** Tables and columns with types and constraints. */
async function shapeOf({ db }: Database): Promise<unknown> {
  const tables = await db.introspection.getTables()
  return tables
    .map(({ name, columns }) => [
      name,
      columns.map(({ name: column, dataType, isNullable }) => `${column} ${dataType} ${isNullable}`).sort(),
    ])
    .sort()
}

const shapes = new Map<EngineName, unknown>()
async function newestShape(engine: EngineName): Promise<unknown> {
  if (!shapes.has(engine)) {
    const place = await makeStorage(engine)
    const fresh = openDatabase(place)
    await migrate(fresh.db)
    shapes.set(engine, await shapeOf(fresh))
    await fresh.close()
    await place.remove()
  }
  return shapes.get(engine)
}

const FROM_RELEASES = ENGINES.flatMap((engine) =>
  Object.entries(RELEASES).map(([release, last]) => [engine, release, last] as const),
)
test.each(FROM_RELEASES)(
  'on %s, release %s (%s) migrates to the newest schema with its rows',
  async (engine, _release, last) => {
    const db = await upTo(engine, last)
    await sql`insert into rate_limits (key, count, expires_at) values ('kept', 1, '2030-01-01T00:00:00.000Z')`.execute(
      db,
    )
    await sql`insert into audit_events (id, actor, action, created_at) values (${randomUUID()}, 'a', 'b', '2026-01-01T00:00:00.000Z')`.execute(
      db,
    )
    await migrate(database.db)
    expect(await shapeOf(database)).toEqual(await newestShape(engine))
    expect(
      (await database.db.selectFrom('rate_limits').select('key').execute()).map(({ key }) => key),
    ).toEqual(['kept'])
    expect(await database.db.selectFrom('audit_events').select('id').execute()).toHaveLength(1)
  },
)

/** Versions between releases were run as well. */
test.each(NAMES)('from %s on, SQLite migrates to the newest schema', async (last) => {
  await upTo('sqlite', last)
  await migrate(database.db)
  expect(await shapeOf(database)).toEqual(await newestShape('sqlite'))
})

test('every release has its schema', () => {
  for (const last of Object.values(RELEASES)) expect(NAMES).toContain(last)
})
