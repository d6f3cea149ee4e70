import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as auth from './migrations/0001-auth.ts'
import * as pixelsAndTags from './migrations/0002-pixels-and-tags.ts'
import * as newsletter from './migrations/0003-newsletter.ts'
import * as operation from './migrations/0004-operation.ts'
import * as tokenRole from './migrations/0005-token-role.ts'
import * as loginMethods from './migrations/0006-login-methods.ts'
import * as compiledTags from './migrations/0008-compiled-tags.ts'
import type { Schema } from './schema.ts'

/** Append-only: a migration that has been released is never edited. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-auth': { up: auth.up },
  '0002-pixels-and-tags': { up: pixelsAndTags.up },
  '0003-newsletter': { up: newsletter.up },
  '0004-operation': { up: operation.up },
  '0005-token-role': { up: tokenRole.up },
  '0006-login-methods': { up: loginMethods.up },
  '0008-compiled-tags': { up: compiledTags.up },
}

/** Brings the database to the newest schema and returns what was applied; a second process waits and then finds nothing to do. */
export async function migrate(db: Kysely<Schema>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return results.map((result) => result.migrationName)
}
