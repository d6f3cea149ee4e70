import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { sql } from 'kysely'
import { generate } from 'selfsigned'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { makeStorage, type Storage } from '#tests/support/engines.ts'
import { findPostgres } from '#tests/support/find-postgres.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startPostgres } from '#tests/support/start-postgres.ts'
import { describeFault } from '../errors.ts'
import { migrate } from '../migrate.ts'
import { openPostgres } from './postgres.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

let storage: Storage
let database: string
beforeEach(async () => {
  storage = await makeStorage('postgres', { isMigrated: true })
  cleanUps.push(storage.remove)
  database = /@\/(\w+)/.exec(storage.databaseUrl ?? '')?.[1] ?? ''
})

interface Certificate {
  private: string
  cert: string
}

interface Host {
  port: number
  /** Ends all connections and refuses new ones. */
  stop(): void
}

/** PostgreSQL on a port. Like it, answers the request for TLS with S or N. */
async function listen(socketDirectory: string, certificate: Certificate | null = null): Promise<Host> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => {})
    client.once('data', (first) => {
      const isTlsRequest = first.length === 8 && first.readInt32BE(4) === 80_877_103
      if (isTlsRequest) client.write(certificate === null ? 'N' : 'S')
      const isSecure = isTlsRequest && certificate !== null
      const visible = isSecure
        ? new TLSSocket(client, { isServer: true, key: certificate.private, cert: certificate.cert })
        : client
      const upstream = connect(join(socketDirectory, '.s.PGSQL.5432'))
      sockets.add(upstream)
      for (const [from, to] of [
        [visible, upstream],
        [upstream, visible],
      ] as const) {
        from.on('error', () => to.destroy())
        from.on('close', () => to.destroy())
      }
      if (!isTlsRequest) upstream.write(first)
      visible.pipe(upstream).pipe(visible)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  cleanUps.push(stop)
  return { port: (server.address() as AddressInfo).port, stop }
}

function open(address: string, poolSize = 2) {
  const lines: string[] = []
  const note = (_details: object, message: string) => void lines.push(message)
  const postgres = openPostgres({
    url: `postgres://postgres@${address}`,
    poolSize,
    log: { warn: note, info: note },
  })
  cleanUps.push(() => postgres.db.destroy())
  return { ...postgres, lines }
}
type Opened = ReturnType<typeof open>
const ask = ({ db }: Opened) => sql<{ one: number }>`select 1 as one`.execute(db)
const write = ({ db }: Opened) =>
  db.updateTable('readiness').set({ proved_at: new Date().toISOString() }).executeTakeFirstOrThrow()
const faultOf = (opened: Opened) =>
  ask(opened).then(
    () => null,
    (error: unknown) => describeFault(error)?.what ?? error,
  )

/** A server that only reads: it waits for changes of a primary that it does not have. */
async function startStandby(): Promise<string> {
  const standby = await startPostgres(findPostgres())
  cleanUps.push(() => standby.stop())
  const { db } = openPostgres({
    url: `postgres://postgres@/postgres?host=${standby.socketDirectory}`,
    poolSize: 1,
  })
  await migrate(db)
  await sql`create database ${sql.ref(database)} template postgres`.execute(db).catch(() => {})
  await db.destroy()
  await standby.whileDown(async () => {
    const signal = join(standby.socketDirectory, 'data', 'standby.signal')
    writeFileSync(signal, '')
    if (process.getuid?.() === 0) chownSync(signal, 65_534, 65_534)
  })
  return standby.socketDirectory
}

describe('several hosts', () => {
  test('skip a host that is down, and follow a primary that moves', async () => {
    const down = await freePort()
    const first = await listen(inject('postgresSocket'))
    const second = await listen(inject('postgresSocket'))
    const opened = open(`127.0.0.1:${down},127.0.0.1:${first.port},127.0.0.1:${second.port}/${database}`)
    await write(opened)
    expect(opened.lines).toEqual([])
    first.stop()
    await expect.poll(() => write(opened).then(() => 'written', String), { timeout: 30_000 }).toBe('written')
    expect(opened.lines).toEqual(['database connections were lost and opened again'])
  })

  test('name the failure of each when none works', async () => {
    const ports = [await freePort(), await freePort()]
    const opened = open(`${ports.map((port) => `127.0.0.1:${port}`)}/${database}`)
    const error = await ask(opened).catch((reason: unknown) => reason)
    for (const port of ports) expect(String(error)).toContain(String(port))
    expect(describeFault(error)?.what).toBe('nada responde no endereço de DATABASE_URL')
  })

  test('skip a hot standby, which alone is refused with a clear line', async () => {
    const standby = await listen(await startStandby())
    const primary = await listen(inject('postgresSocket'))
    const both = open(
      `127.0.0.1:${standby.port},127.0.0.1:${primary.port}/${database}?target_session_attrs=read-write`,
    )
    await write(both)
    await both.pinSite()
    const alone = open(`127.0.0.1:${standby.port}/postgres`)
    const error = await alone.pinSite().catch((reason: unknown) => reason)
    expect(describeFault(error)?.what).toContain('só aceita leitura: é uma réplica')
    const twice = open(`127.0.0.1:${standby.port},127.0.0.1:${standby.port}/postgres`)
    expect(await faultOf(twice)).toContain('só aceita leitura: é uma réplica')
  })
})

describe('TLS', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-tls-'))
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  })

  async function makeCertificate(
    name: string,
    notAfterDate = new Date(Date.now() + 86_400_000),
  ): Promise<Certificate & { file: string }> {
    const altNames = [{ type: 2 as const, value: name }]
    const certificate = await generate([{ name: 'commonName', value: name }], {
      notBeforeDate: new Date(Date.now() - 2 * 86_400_000),
      notAfterDate,
      extensions: [{ name: 'subjectAltName', altNames }],
    })
    const file = join(folder, 'ca.pem')
    writeFileSync(file, certificate.cert)
    return { private: certificate.private, cert: certificate.cert, file }
  }
  const start = async (certificate: Certificate | null) =>
    (await listen(inject('postgresSocket'), certificate)).port
  const reach = (port: number, options: string) => open(`localhost:${port}/${database}?${options}`)

  test.each(['prefer', 'require', 'verify-ca', 'verify-full'])(
    'sslmode=%s needs the root certificate',
    async (mode) => {
      const { file, ...certificate } = await makeCertificate('localhost')
      const port = await start(certificate)
      const trusted = reach(port, `sslmode=${mode}&sslrootcert=${file}`)
      expect((await ask(trusted)).rows).toEqual([{ one: 1 }])
      expect(await faultOf(reach(port, `sslmode=${mode}`))).toContain('autoridade conhecida')
    },
  )

  test('sslmode=no-verify encrypts without a certificate, and disable does not encrypt', async () => {
    const { file: _, ...certificate } = await makeCertificate('localhost')
    const port = await start(certificate)
    expect(await faultOf(reach(port, 'sslmode=no-verify'))).toBeNull()
    expect(await faultOf(reach(port, 'sslmode=disable'))).toBeNull()
  })

  test('says what is wrong with the certificate, or that the server has no TLS', async () => {
    const other = await makeCertificate('db.exemplo.com.br')
    const options = `sslmode=verify-full&sslrootcert=${other.file}`
    expect(await faultOf(reach(await start(other), options))).toContain('de outro servidor')
    const late = await makeCertificate('localhost', new Date(Date.now() - 86_400_000))
    expect(await faultOf(reach(await start(late), options))).toContain('venceu')
    expect(await faultOf(reach(await start(null), options))).toContain('não oferece TLS')
  })
})
