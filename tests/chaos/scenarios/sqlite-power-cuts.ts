import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertKept, kill, rowsOf, startWriting } from '../acknowledged-rows.ts'
import { needsRoot, type Place, type Scenario } from '../scenario.ts'

const ROUNDS = 20
const DISK_BYTES = 96 * 2 ** 20

/**
 * What was not synced is only in the file system's memory, not in the image: a copy of the image is what a power cut
 * leaves.
 */
export const sqlitePowerCuts: Scenario = {
  name: `${ROUNDS} power cuts in the middle of writing to the embedded database`,
  promised: 'it always opens, and no acknowledged row is lost',
  obstacle: needsRoot,
  run: async (place) => {
    const acknowledged = new Set<string>()
    let image = join(place.folder, 'disk-0.img')
    writeFileSync(image, '')
    truncateSync(image, DISK_BYTES)
    execFileSync('mkfs.ext4', ['-q', image])
    for (let round = 1; round <= ROUNDS; round++) {
      const before = mount(place, image, `before-${round}`)
      const writer = await startWriting(before.folder)
      writer.child.kill('SIGSTOP')
      const next = join(place.folder, `disk-${round}.img`)
      execFileSync('cp', ['--sparse=always', image, next])
      await kill(writer)
      for (const id of rowsOf(writer)) acknowledged.add(id)
      before.unmount()
      rmSync(image)

      const after = mount(place, next, `after-${round}`)
      await assertKept(after.folder, acknowledged)
      after.unmount()
      image = next
    }
    return `${ROUNDS} power cuts, ${acknowledged.size} rows acknowledged, 0 lost`
  },
}

function mount(place: Place, image: string, name: string): { folder: string; unmount: () => void } {
  const folder = join(place.folder, name)
  mkdirSync(folder)
  execFileSync('mount', ['-o', 'loop', image, folder])
  let isMounted = true
  const unmount = () => {
    if (isMounted) execFileSync('umount', [folder])
    isMounted = false
  }
  place.atEnd(unmount)
  return { folder, unmount }
}
