import type { ServerEventName } from '#contract/server-event.ts'
import type { TestCopy } from '#contract/tag-test.ts'
import type { Db } from '#server/db/database.ts'
import type { TagStore } from '../tag-store.ts'

export interface TestDeps {
  db: Db
  tags: TagStore
  /** Where visitors open the site. */
  siteUrl: string
}

/** Something done on a page under test, as the server tells the vendor of it. */
export interface CopiedEvent {
  event: ServerEventName
  eventId: string
  testCode: string | undefined
  agent: string | null
  address: string | null
}

/** Tells the vendor of a pixel in the vendor's test mode. */
export type CopyTestEvent = (pixelId: string, event: CopiedEvent) => Promise<Omit<TestCopy, 'event'>>
