import { askPostgres } from '../../support/ask-postgres.ts'
import { findPostgres } from '../../support/find-postgres.ts'
import { freePort } from '../../support/free-port.ts'
import { startPostgres } from '../../support/start-postgres.ts'
import { Load } from '../load.ts'
import { startReadyProxy } from '../ready-proxy.ts'
import { type Scenario, until } from '../scenario.ts'
import { signIn } from '../sign-in.ts'
import { startReplica } from '../start-replica.ts'

const ROUNDS = 2

export const rollingRestart: Scenario = {
  name: 'two replicas behind a proxy are restarted in turn, twice, under load',
  promised: 'no request fails or gets 503, and nothing that was acknowledged is lost',
  run: async (place) => {
    const postgres = await startPostgres(findPostgres(), [])
    place.atEnd(() => postgres.stop())
    await askPostgres(postgres.socketDirectory, 'postgres', 'create database site')
    const start = (port: number) =>
      startReplica(place, {
        PORT: String(port),
        DATABASE_URL: `postgres://postgres@/site?host=${postgres.socketDirectory}`,
        DRAIN_SECONDS: '2',
      })
    const ports = [await freePort(), await freePort()]
    const replicas = await Promise.all(ports.map(start))
    const targets = replicas.map(({ url }) => url)
    const proxy = await startReadyProxy(place, targets)
    const load = new Load([proxy.url, proxy.url], await signIn(proxy.url), place.pauseMs)
    place.atEnd(() => load.stop())
    await load.untilWorking()
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, port] of ports.entries()) {
        const target = targets[index] ?? ''
        replicas[index]?.server.child.kill('SIGTERM')
        const code = await replicas[index]?.server.ended
        if (code !== 0) throw new Error(`a replica ended with ${code}`)
        replicas[index] = await start(port)
        await until('the proxy uses it again', () => proxy.isReady(target))
        const before = proxy.given(target)
        await until('it is given requests again', () => proxy.given(target) > before + 5)
        await load.untilWorking()
      }
    await load.stop()
    const faults = [...load.failedVisits, ...load.wrong]
    if (faults.length > 0) throw new Error(`${faults.length} requests failed, such as ${faults[0]}`)
    if (load.refused > 0) throw new Error(`${load.refused} calls were answered with 503`)
    const rows = await askPostgres(
      postgres.socketDirectory,
      'site',
      'select email from newsletter_subscriptions',
    )
    const kept = new Set(rows.map(({ email }) => email))
    const lost = [...load.acknowledged].filter((email) => !kept.has(email))
    if (lost.length > 0) throw new Error(`${lost.length} acknowledged subscriptions were lost`)
    return `${load.visits} visits, ${load.acknowledged.size} subscriptions and ${load.renamed} changes through ${ROUNDS * 2} restarts: 0 failed, 0 lost`
  },
}
