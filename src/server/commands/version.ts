/** `npm run version`: the release, and whether the database of this configuration has its form. */
import { VERSION } from '#contract/version.ts'
import { MIGRATION_NAMES } from '../db/migrate.ts'

console.log(
  `Pórtico ${VERSION}, Node ${process.versions.node}, forma do banco ${[...MIGRATION_NAMES].at(-1)}`,
)
