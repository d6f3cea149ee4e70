import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { needsRoot, type Scenario, until } from '../scenario.ts'
import { PRINCIPAL, signIn } from '../sign-in.ts'
import { startReplica } from '../start-replica.ts'

const PIXELS = 10_000
const CODE_BYTES = 64_000
const MEMORY_MB = 256
const COLLEAGUE = { email: 'colega@portico.example', password: 'rio-pedra-cobalto-73' }

export const longListsInLittleMemory: Scenario = {
  name: `two people ask for ${PIXELS} pixels of 64 KB twice each, at once, in ${MEMORY_MB} MB`,
  promised: 'every list comes whole, the page goes on, and the process is not killed for its memory',
  obstacle: () => needsRoot() ?? (cgroupRoot() === null ? 'needs control groups for memory' : null),
  run: async (place) => {
    const DATA_DIR = mkdtempSync(join(place.folder, 'data-'))
    const first = await startReplica(place, { DATA_DIR })
    const { headers } = await signIn(first.url)
    const added = await fetch(`${first.url}/rest/v1/admin_users`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...COLLEAGUE, role: 'admin' }),
    })
    if (!added.ok) throw new Error(`no second person: ${await added.text()}`)
    first.server.child.kill('SIGTERM')
    await first.server.ended
    addPixels(join(DATA_DIR, 'portico.db'))

    const group = limitedGroup()
    place.atEnd(() => until('the group is empty', () => tryRemove(group)))
    const enter = ['sh', '-c', `echo $$ > ${join(group, 'cgroup.procs')}; exec "$@"`, 'sh']
    const { url, server } = await startReplica(place, { DATA_DIR }, enter)
    const people = await Promise.all([PRINCIPAL, COLLEAGUE].map((credentials) => signIn(url, credentials)))
    const bytes = await Promise.all([...people, ...people].map(({ headers }) => listAll(url, headers)))
    if ((await fetch(url)).status !== 200) throw new Error('the page failed')
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
    const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])
    const least = Math.min(...bytes)
    if (least < PIXELS * CODE_BYTES) throw new Error(`a list ended after ${least} bytes`)
    return `4 lists of ${Math.round(least / 1e6)} MB came whole; the process had at most ${Math.round(peak / 1024)} MB`
  },
}

/** Inactive, like most pixels. Written to the file directly: the server is not running. */
function addPixels(file: string): void {
  const database = new DatabaseSync(file)
  database
    .prepare(
      `insert into tracking_pixels (id, name, type, code, is_active, allowed_hosts, consent_category, created_at, updated_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       select printf('00000000-0000-4000-8000-%012d', i), 'Pixel ' || i, 'custom', printf('%.*c', ?, 'x'), 0,
         '[]', 'marketing', ?, ? from n`,
    )
    .run(PIXELS, CODE_BYTES, new Date().toISOString(), new Date().toISOString())
  database.close()
}

async function listAll(url: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`${url}/rest/v1/tracking_pixels?order=created_at.desc`, { headers })
  if (answer.status !== 200 || answer.body === null) throw new Error(`a list was answered ${answer.status}`)
  let bytes = 0
  for await (const chunk of answer.body) bytes += chunk.length
  return bytes
}

/** Where memory-limited cgroups can be created: version 2 if there is one, else version 1. */
function cgroupRoot(): string | null {
  const second = '/sys/fs/cgroup/cgroup.subtree_control'
  if (existsSync(second) && readFileSync(second, 'utf8').includes('memory')) return '/sys/fs/cgroup'
  return existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes') ? '/sys/fs/cgroup/memory' : null
}

function limitedGroup(): string {
  const group = join(cgroupRoot() ?? '', `portico-${process.pid}`)
  mkdirSync(group)
  const limit = existsSync(join(group, 'memory.max')) ? 'memory.max' : 'memory.limit_in_bytes'
  writeFileSync(join(group, limit), String(MEMORY_MB * 1024 * 1024))
  return group
}

/** The kernel removes a group a moment after its last process. */
function tryRemove(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}
