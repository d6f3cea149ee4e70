import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresUnderLoad } from '../postgres-under-load.ts'
import { needsRoot, type Place, type Scenario } from '../scenario.ts'

const CUT_MS = 20_000
const OURS = '10.213.77.1'
const THEIRS = '10.213.77.2'
const PORT = 5432

/** Unlike a silent proxy, a cut link does not even acknowledge packets: the kernel resends them. */
export const postgresCutLink: Scenario = {
  name: 'the link to the database is cut for 20 s, between two network namespaces',
  promised: 'the page never fails, calls get 503, everything recovers, nothing is lost',
  obstacle: () => needsRoot() ?? (existsSync('/usr/sbin/ip') ? null : 'iproute2 is not installed'),
  run: (place) => {
    const namespace = `portico-${process.pid}`
    return postgresUnderLoad(
      place,
      async ({ untilRefused }) => {
        // Nothing that they send arrives: no answer, no acknowledgement, no refusal.
        ip('-n', namespace, 'route', 'add', 'blackhole', `${OURS}/32`)
        await Promise.all([wait(CUT_MS), untilRefused()])
        ip('-n', namespace, 'route', 'del', 'blackhole', `${OURS}/32`)
      },
      { connectThrough: ({ socketDirectory }) => joinByLink(place, namespace, socketDirectory) },
    )
  },
}

async function joinByLink(place: Place, namespace: string, socketDirectory: string): Promise<string> {
  const link = `pc${process.pid}`
  ip('netns', 'add', namespace)
  place.atEnd(() => ip('netns', 'del', namespace))
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'inside', 'netns', namespace)
  ip('addr', 'add', `${OURS}/30`, 'dev', link)
  ip('link', 'set', link, 'up')
  ip('-n', namespace, 'addr', 'add', `${THEIRS}/30`, 'dev', 'inside')
  ip('-n', namespace, 'link', 'set', 'inside', 'up')
  const socket = join(socketDirectory, '.s.PGSQL.5432')
  const command = [process.execPath, 'tests/chaos/relay.ts', THEIRS, String(PORT), socket]
  const relay = spawn('ip', ['netns', 'exec', namespace, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => relay.once('exit', resolve))
  place.atEnd(async () => {
    relay.kill('SIGKILL')
    await ended
  })
  await new Promise((resolve) => relay.stdout.once('data', resolve))
  return `postgres://postgres@${THEIRS}:${PORT}/site`
}

function ip(...args: string[]): void {
  execFileSync('ip', args)
}
