import type { TagSet } from '../compose-tag-set.ts'
import type { PreparedTag } from '../prepare-tag.ts'

/** A tag of the set, and from where its vendor is told. */
export interface Recipient {
  prepared: PreparedTag
  toldBy: ('browser' | 'server')[]
}

/** Those that run on the page, and those of which our server alone tells: one without room in the policy does not run. */
export function listRecipients({ members, recipients }: Pick<TagSet, 'members' | 'recipients'>): Recipient[] {
  const runs = new Set(members)
  return recipients.map((prepared) => ({
    prepared,
    toldBy: [
      ...(runs.has(prepared) ? ['browser' as const] : []),
      ...(prepared.isTold ? ['server' as const] : []),
    ],
  }))
}
