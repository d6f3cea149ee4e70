import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool } from '../../deploy/find-tool.ts'
import { nginxAround } from '../../deploy/lint-files.ts'
import { askPostgres } from '../../support/ask-postgres.ts'
import { findPostgres } from '../../support/find-postgres.ts'
import { freePort } from '../../support/free-port.ts'
import { startPostgres } from '../../support/start-postgres.ts'
import { Load } from '../load.ts'
import { accepts, type Place, type Scenario, until } from '../scenario.ts'
import { signIn } from '../sign-in.ts'
import { startReplica } from '../start-replica.ts'

/** Slightly more than twice the health-check interval of the shipped Caddyfile. */
const DRAIN_SECONDS = '3'
/** Long enough for a proxy with a one-second check to remove a process that is not ready. */
const DOWN_MS = 6_000

export const shippedProxies: Scenario = {
  name: 'behind the shipped Caddyfile and nginx.conf PostgreSQL stops for six seconds, then two replicas restart in turn',
  promised:
    'the page never fails through either proxy; without the database calls get 503 and /readyz too; not one request fails during the restarts',
  obstacle: () => {
    const missing = ['caddy', 'nginx'].filter((name) => findTool(name, name) === null)
    return missing.length === 0
      ? null
      : `${missing.join(' and ')} not installed, and Debian's archive did not answer`
  },
  run: async (place) => {
    const postgres = await startPostgres(findPostgres(), [])
    place.atEnd(() => postgres.stop())
    await askPostgres(postgres.socketDirectory, 'postgres', 'create database site')
    const start = (port: number) =>
      startReplica(place, {
        PORT: String(port),
        DATABASE_URL: `postgres://postgres@/site?host=${postgres.socketDirectory}`,
        DRAIN_SECONDS,
      })
    const ports = [await freePort(), await freePort()]
    const replicas = await Promise.all(ports.map(start))
    const urls = replicas.map(({ url }) => url)
    const upstreams = ports.map((port) => `127.0.0.1:${port}`)
    const proxies = [await startCaddy(place, upstreams), await startNginx(place, upstreams)]
    const load = new Load(proxies, await signIn(urls[0] ?? ''), place.pauseMs, { throughProxy: true })
    place.atEnd(() => load.stop())
    await load.untilWorking()

    await postgres.whileDown(async () => {
      await load.untilRefused()
      for (const url of urls) {
        await until('/readyz says so', async () => (await statusOf(`${url}/readyz`)) === 503)
        if ((await statusOf(`${url}/readyz/serve`)) !== 200) throw new Error('it stopped serving pages')
      }
      const seen = load.visits
      await new Promise((resolve) => setTimeout(resolve, DOWN_MS))
      if (load.visits < seen + 10) throw new Error('the page was not visited while the database was down')
    })
    await load.untilWorking()
    const refusedWithoutDatabase = load.refused

    for (const [index, port] of ports.entries()) {
      replicas[index]?.server.child.kill('SIGTERM')
      const code = await replicas[index]?.server.ended
      if (code !== 0) throw new Error(`a replica ended with ${code}`)
      replicas[index] = await start(port)
      await load.untilWorking()
    }
    await load.stop()
    const faults = [...load.failedVisits, ...load.wrong]
    if (faults.length > 0) throw new Error(`${faults.length} requests failed, such as ${faults[0]}`)
    if (load.refused > refusedWithoutDatabase)
      throw new Error(`${load.refused - refusedWithoutDatabase} calls got 503 during the restarts`)
    return `${load.visits} visits, 0 failed; ${load.acknowledged.size} subscriptions and ${load.renamed} changes acknowledged; ${load.refused} calls got 503 without the database, 0 during 2 restarts`
  },
}

async function statusOf(url: string): Promise<number> {
  return (await fetch(url)).status
}

/** The shipped file without Caddy's admin port, which another Caddy on this machine may use. */
async function startCaddy(place: Place, upstreams: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(place.folder, 'caddy-'))
  const port = await freePort()
  const config = join(folder, 'Caddyfile')
  writeFileSync(config, readFileSync('deploy/Caddyfile', 'utf8').replace(/^\{$/m, '{\n\tadmin off'))
  const url = `http://localhost:${port}`
  await startProxy(place, 'caddy', ['run', '--adapter', 'caddyfile', '--config', config], port, {
    HOME: folder,
    SITE_ADDRESS: url,
    UPSTREAMS: upstreams.join(' '),
  })
  return url
}

async function startNginx(place: Place, upstreams: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(place.folder, 'nginx-'))
  const ports = { plain: await freePort(), tls: await freePort() }
  const config = await nginxAround(folder, { ports, upstreams })
  const args = ['-e', join(folder, 'error.log'), '-c', config, '-g', 'daemon off; master_process off;']
  await startProxy(place, 'nginx', args, ports.tls, {})
  return `https://localhost:${ports.tls}`
}

async function startProxy(
  place: Place,
  name: string,
  args: readonly string[],
  port: number,
  env: Record<string, string>,
): Promise<void> {
  const child = spawn(findTool(name, name) ?? name, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  place.atEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until(`${name} listens`, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
    return accepts(port)
  })
}
