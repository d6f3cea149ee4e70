/** `npm run version`: the release, and whether the database of this configuration has its form. */
import { VERSION } from '#server/config.ts'
import { MIGRATION_NAMES } from '#server/db/migrate.ts'

console.log(
  `Pórtico ${VERSION}, Node ${process.versions.node}, forma do banco ${[...MIGRATION_NAMES].at(-1)}`,
)
