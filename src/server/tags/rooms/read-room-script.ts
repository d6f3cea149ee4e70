import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What runs in every room before its tag; the build made it one script. */
export function readRoomScript(distDirectory: string): string {
  const script = readFileSync(join(distDirectory, 'server/room.js'), 'utf8').trim()
  // Such a text would end the element that it stands in.
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of the rooms cannot stand in a document')
  return script
}
