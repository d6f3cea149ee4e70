import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/prepare-database.ts'
import { makeSecretKey } from '#server/secrets/secret-key.ts'
import { replaceSecretKeyFile } from '#server/secrets/secret-key-file.ts'
import { ENGINES, failOnProblem, makeStorage } from '#tests/support/engines.ts'
import { freePort } from '#tests/support/free-port.ts'
import { spawnNode } from '#tests/support/spawn-server.ts'
import { checkPlace } from './check-place.ts'
import { checkReach } from './check-reach.ts'
import { checkServices } from './check-services.ts'
import type { Finding } from './finding.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level)

test.each(ENGINES)(
  'on %s a healthy place is in order, and a key that is missing is named with the way out',
  async (engine) => {
    const storage = await makeStorage(engine)
    cleanUps.push(storage.remove)
    const config = parseConfig(storage.env)
    const { db, close } = openDatabase(storage)
    await prepareDatabase(config, db, failOnProblem)
    await close()
    expect(new Set(levels(await checkPlace(config)))).toEqual(new Set(['ok']))
    await replaceSecretKeyFile(config.secretKey.file, [await makeSecretKey()])
    const faults = (await checkPlace(config)).filter(({ level }) => level === 'bad')
    expect(faults).toEqual([
      expect.objectContaining({
        what: expect.stringContaining('não contém a chave'),
        mend: expect.stringContaining('discard-secrets'),
      }),
    ])
  },
)

test('a database that is not there is no fault before the first start, and one on PostgreSQL that does not answer is', async () => {
  const storage = await makeStorage('sqlite')
  cleanUps.push(storage.remove)
  expect(levels(await checkPlace(parseConfig(storage.env)))).toEqual(['ok', 'warn'])
  const away = { DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/x`, SECRET_KEY_FILE: '/dev/null' }
  const [, database] = await checkPlace(parseConfig({ ...storage.env, ...away }))
  expect(database).toMatchObject({ level: 'bad', mend: expect.stringContaining('DATABASE_URL') })
})

async function answering(headers: Record<string, string>): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(200, headers).end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a site is looked at as visitors reach it', async () => {
  const look = (SITE_URL: string) => checkReach(parseConfig({ SITE_URL }))
  const whole = await answering({ 'content-security-policy': "default-src 'none'" })
  expect(levels(await look(whole))).toEqual(['ok', 'ok'])
  const [stripped] = await look(await answering({}))
  expect(stripped).toMatchObject({ level: 'bad', mend: expect.stringContaining('cabeçalhos') })
  const late = new Date(Date.now() - 300_000).toUTCString()
  const clocks = await look(await answering({ 'content-security-policy': "default-src 'none'", date: late }))
  expect(clocks[1]).toMatchObject({ level: 'bad', mend: expect.stringContaining('NTP') })
  const [away] = await look(`http://127.0.0.1:${await freePort()}`)
  expect(away).toMatchObject({ level: 'bad', what: expect.stringContaining('ECONNREFUSED') })
  const [tls] = await look(whole.replace('http:', 'https:'))
  expect(tls).toMatchObject({ level: 'bad', mend: expect.stringContaining('certificado') })
})

test('what is sent to others is tried without sending anything', async () => {
  expect(levels(await checkServices(parseConfig({})))).toEqual(['warn', 'warn'])
  const nobody = `127.0.0.1:${await freePort()}`
  const away = { SMTP_URL: `smtp://u:segredo@${nobody}`, NEWSLETTER_WEBHOOK_URL: `http://${nobody}/` }
  const findings = await checkServices(parseConfig(away))
  expect(levels(findings)).toEqual(['bad', 'bad'])
  expect(JSON.stringify(findings)).not.toContain('segredo')
  const there = { NEWSLETTER_WEBHOOK_URL: await answering({}), NEWSLETTER_WEBHOOK_SECRET: 'segredo' }
  expect(levels(await checkServices(parseConfig(there)))).toEqual(['warn', 'ok'])
})

test('a wrong configuration is told fault by fault, with what to do, and ends with 1', async () => {
  const run = spawnNode(['src/server/commands/doctor.ts'], { PORT: 'x', SMTP_URL: 'http://a' })
  expect(await run.ended).toBe(1)
  expect(run.output()).toMatch(
    /✗ PORT deve ser .*\n {4}→ Corrija[\s\S]*✗ SMTP_URL deve ser[\s\S]*2 a consertar/,
  )
})
