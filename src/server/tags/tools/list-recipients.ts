import type { TagSet } from '../compose-tag-set.ts'
import type { PreparedTag } from '../prepare-tag.ts'

/** A tag of the set, and from where its vendor is told. */
export interface Recipient {
  prepared: PreparedTag
  toldBy: readonly Way[]
}

type Way = 'browser' | 'server'

/** Those that run on the page, and those of which our server alone tells: one without room in the policy does not run. */
export function listRecipients({ members, recipients }: Pick<TagSet, 'members' | 'recipients'>): Recipient[] {
  const runs = new Set(members)
  return recipients.map((prepared) => ({
    prepared,
    toldBy: runs.has(prepared) ? (prepared.isTold ? BOTH : BROWSER) : prepared.isTold ? SERVER : NOBODY,
  }))
}

const BOTH: readonly Way[] = ['browser', 'server']
const BROWSER: readonly Way[] = ['browser']
const SERVER: readonly Way[] = ['server']
const NOBODY: readonly Way[] = []
