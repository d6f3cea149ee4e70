import { createHash } from 'node:crypto'
import type { OptionalCategory } from '#contract/consent.ts'
import type { ServedFile } from '#contract/inventory.ts'
import { roomPath } from '#contract/isolated-frame.ts'
import type { TagSet } from '../compose-tag-set.ts'
import type { PreparedTag } from '../prepare-tag.ts'
import { findScriptAddresses } from './find-script-addresses.ts'
import { listRecipients, type Recipient } from './list-recipients.ts'

/** Each tag that is on the page or of which our server tells, as the history keeps it. */
export function describeServedTags(set: Pick<TagSet, 'members' | 'recipients'>) {
  return listRecipients(set).map((recipient) => {
    const { prepared, toldBy } = recipient
    const known = described.get(prepared)
    if (known?.toldBy === toldBy) return known
    const served = describeServedTag(recipient)
    described.set(prepared, served)
    return served
  })
}

/** Described, and its files hashed, once for as long as nothing about the tag changes. */
const described = new WeakMap<PreparedTag, ReturnType<typeof describeServedTag>>()

function describeServedTag({ prepared, toldBy }: Recipient) {
  const { tag, marks, revision } = prepared
  const runs = toldBy.includes('browser')
  return {
    pixelId: tag.id,
    revision,
    type: tag.type,
    vendors: marks.map(({ id }) => id),
    account: tag.vendorId ?? marks[0]?.account ?? null,
    category: tag.category as OptionalCategory,
    toldBy,
    hosts: runs ? tag.hosts : [],
    files: runs ? filesOf(prepared) : [],
  }
}

/** What a browser is given to run: our own files with the hash of each, and the vendors' by their addresses. */
function filesOf(prepared: PreparedTag): ServedFile[] {
  const { files, room } = prepared
  // Isolated, all of its own code is in the document of its frame.
  const served = room === null ? [...files] : [[roomPath(room.hash), room.html] as const]
  const own = served.map(
    ([path, text]): ServedFile => ({
      kind: 'own',
      path,
      sha256: createHash('sha256').update(text).digest('hex'),
    }),
  )
  const vendors = findScriptAddresses(prepared).map((url): ServedFile => ({ kind: 'vendor', url }))
  return [...own, ...vendors]
}
