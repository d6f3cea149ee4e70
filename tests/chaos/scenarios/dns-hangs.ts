import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgres } from '../../support/find-postgres.ts'
import { startPostgres } from '../../support/start-postgres.ts'
import { needsRoot, type Place, type Scenario, until } from '../scenario.ts'
import { startSilentProxy } from '../silent-proxy.ts'
import { startReplica } from '../start-replica.ts'

/** A loopback address without a name server. */
const NAME_SERVER = '127.0.0.153'
const HOST = 'banco.exemplo.com.br'
const STOP_MS = 9_000

export const dnsHangs: Scenario = {
  name: "the name server no longer answers, the database's connections end, and SIGTERM comes",
  promised: 'calls get 503, the page goes on, and the process ends with 0 within nine seconds',
  obstacle: needsRoot,
  run: async (place) => {
    await startSilentNameServer(place)
    const postgres = await startPostgres(findPostgres(), [])
    place.atEnd(() => postgres.stop())
    const client = new pg.Client({ host: postgres.socketDirectory, user: 'postgres', database: 'postgres' })
    await client.connect()
    await client.query('create database site')
    const link = await startSilentProxy(place, postgres.socketDirectory)
    const names = join(place.folder, 'hosts')
    const resolver = join(place.folder, 'resolv.conf')
    writeFileSync(names, `127.0.0.1 localhost ${HOST}\n`)
    writeFileSync(resolver, `nameserver ${NAME_SERVER}\n`)
    const mounts = `mount --bind ${names} /etc/hosts && mount --bind ${resolver} /etc/resolv.conf && exec "$0" "$@"`
    const { url, server } = await startReplica(
      place,
      { DATABASE_URL: `postgres://postgres@${HOST}:${link.port}/site` },
      ['unshare', '--mount', 'sh', '-c', mounts],
    )
    writeFileSync(names, '127.0.0.1 localhost\n')
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'site'")
    await client.end()
    await until('/readyz says so', async () => (await fetch(`${url}/readyz`)).status === 503)
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => subscribe(url, at)))
    if (statuses.some((status) => status !== 503)) throw new Error(`calls got ${[...new Set(statuses)]}`)
    if ((await fetch(url)).status !== 200) throw new Error('the page failed')
    // Some are running when it gets the signal; their result is tested elsewhere.
    for (let at = 20; at < 30; at++) subscribe(url, at).catch(() => {})
    const begun = performance.now()
    server.child.kill('SIGTERM')
    const code = await server.ended
    const took = performance.now() - begun
    if (code !== 0 || took > STOP_MS)
      throw new Error(`it ended with ${code} after ${Math.round(took)} ms: ${server.output().slice(-600)}`)
    return `${statuses.length} calls got 503; ended with 0 after ${(took / 1000).toFixed(1)} s`
  },
}

async function startSilentNameServer(place: Place): Promise<void> {
  const socket = createSocket('udp4')
  socket.bind(53, NAME_SERVER)
  await once(socket, 'listening')
  place.atEnd(() => socket.close())
}

async function subscribe(url: string, at: number): Promise<number> {
  const answer = await fetch(`${url}/api/newsletter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${at}` },
    body: JSON.stringify({ email: `pessoa${at}@exemplo.com.br` }),
  })
  return answer.status
}
