import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { postgresUnderLoad } from '../postgres-under-load.ts'
import { needsRoot, type Scenario, until } from '../scenario.ts'

const DISK_BYTES = 200_000_000

export const postgresDiskFull: Scenario = {
  name: "PostgreSQL's disk is full, and has room again",
  promised:
    'the page never fails, calls that need room get 503, /readyz says so while an update still fits, everything recovers, nothing is lost',
  obstacle: needsRoot,
  run: (place) => {
    const disk = join(place.folder, 'disk')
    mkdirSync(disk)
    // PostgreSQL runs as another user.
    chmodSync(place.folder, 0o711)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk])
    place.atEnd(() => execFileSync('umount', ['-l', disk]))
    return postgresUnderLoad(
      place,
      async ({ replicas, untilRefused }) => {
        const filler = join(disk, 'filler')
        fillUp(filler)
        for (const { url } of replicas)
          await until('/readyz says so', async () => (await fetch(`${url}/readyz`)).status === 503)
        await untilRefused()
        rmSync(filler)
      },
      { folder: disk },
    )
  },
}

function fillUp(filler: string): void {
  const block = Buffer.alloc(4096)
  try {
    for (let written = 0; written <= DISK_BYTES; written += block.length) appendFileSync(filler, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
    throw error
  }
  throw new Error('the disk took more than its size')
}
