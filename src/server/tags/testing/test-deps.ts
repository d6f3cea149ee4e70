import type { Db } from '#server/db/database.ts'
import type { TagStore } from '../tag-store.ts'

export interface TestDeps {
  db: Db
  tags: TagStore
  /** Where visitors open the site. */
  siteUrl: string
}
