import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildApp } from '#server/app.ts'
import { parseConfig } from '#server/config.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { freePort } from '#tests/support/free-port.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { QUICK_WORK } from '#tests/support/quick-work.ts'
import { sentStatements } from '#tests/support/sent-statements.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { createLogger } from '../http/logging/logger.ts'
import { SERVICE_ACTOR } from '../http/security/administrators.ts'
import { readInventory } from '../inventory/admin-routes.ts'
import { readTagPeriods } from '../inventory/served-page.ts'
import { setPaused } from '../tags/admin-routes.ts'
import { describeVendor } from '../vendors/marks.ts'

/** Two whole servers on a busy machine. */
const STARTS_MS = 120_000
const seen = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { timeout: 30_000, interval: 100 })

describe.each(TIER_ENGINES)('the cookie policy, on %s', { timeout: STARTS_MS }, (engine) => {
  let site: TestApp
  let replica: { url: string; close(): Promise<unknown> }
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    replica = await startReplica(site)
  }, STARTS_MS)
  afterAll(async () => {
    await replica.close()
    await site.close()
  })
  const read = async (path: string, url = site.url) => {
    const response = await fetch(url + path)
    return {
      etag: response.headers.get('etag') ?? '',
      headers: response.headers,
      text: await response.text(),
    }
  }

  test('follows the tags in every process, byte for byte, and keeps the date of the legal text', async () => {
    const empty = await read('/cookies')
    expect(empty.text).toContain('<p class="date">Agosto de 2025</p>')
    expect(empty.text).toContain('Ferramentas ativas no site')
    expect(empty.text).toContain('portico_consent')
    expect(empty.text.match(/Nenhuma ferramenta em uso agora\./g)).toHaveLength(3)
    // Nothing asks for consent yet.
    expect(empty.text).not.toContain('portico_visit')
    expect(empty.text).not.toContain('<script')

    await insertPixel(site.database.db, { type: 'meta', name: 'Campanha secreta' })
    await insertPixel(site.database.db, {
      type: 'custom',
      name: 'Painel do cliente X',
      code: '<script>fetch("https://painel.loja.example/v")</script>',
      consent_category: 'desempenho',
    })
    const page = await seen(async () => {
      const now = await read('/cookies')
      expect(now.text).toContain('Meta Platforms, Inc., Estados Unidos')
      expect(now.text).toContain('painel.loja.example')
      return now
    })
    expect(page.etag).not.toBe(empty.etag)
    for (const words of ['_fbp', '90 dias', 'Código próprio do site', 'Lista atualizada em '])
      expect(page.text).toContain(words)
    expect(page.text.match(/Nenhuma ferramenta em uso agora\./g)).toHaveLength(1)
    // Under the two categories that allow it.
    expect(page.text.match(/<code>portico_visit</g)).toHaveLength(2)
    for (const secret of ['Campanha secreta', 'cliente X']) expect(page.text).not.toContain(secret)
    await seen(async () => expect((await read('/cookies', replica.url)).etag).toBe(page.etag))
  })

  test("serves the dialog's text, and both are revalidated each time", async () => {
    const [page, text] = [await read('/cookies'), await read('/api/legal/cookies')]
    for (const { headers } of [page, text]) expect(headers.get('cache-control')).toBe('no-cache')
    const { sections } = JSON.parse(text.text) as { sections: { title: string; blocks: unknown[] }[] }
    const words = JSON.stringify(sections.at(-1))
    expect(sections.at(-1)?.title).toBe('Ferramentas ativas no site')
    for (const part of [
      'Meta Pixel (Meta Platforms, Inc., Estados Unidos)',
      '_fbp, 90 dias',
      'painel.loja.example',
    ])
      expect(words).toContain(part)
    const again = await fetch(`${site.url}/cookies`, { headers: { 'if-none-match': page.etag } })
    expect(again.status).toBe(304)
  })

  // Statements of the other engine cannot be observed.
  if (engine === 'sqlite')
    test('no request for it uses the database', async () => {
      const requests = 200
      const statements = await sentStatements(async () => {
        for (let count = 0; count < requests; count++)
          await read(count % 2 === 0 ? '/cookies' : '/api/legal/cookies')
      })
      // Background work, such as polling the tags version, may add statements.
      expect(statements.length).toBeLessThan(requests)
    })

  test('leaves out paused tags', async () => {
    const before = await read('/cookies')
    await setPaused(site.database.db, SERVICE_ACTOR, true)
    await seen(async () => expect((await read('/cookies')).text).not.toContain('_fbp'))
    await setPaused(site.database.db, SERVICE_ACTOR, false)
    const after = await seen(async () => {
      const now = await read('/cookies')
      expect(now.text).toContain('_fbp')
      return now
    })
    // The same list with its own date.
    expect(after.etag === before.etag).toBe(after.text === before.text)
    const periods = await site.database.db.selectFrom('tag_periods').select('ended_at').execute()
    expect(periods.filter(({ ended_at }) => ended_at === null)).toHaveLength(2)
  })

  test('lists the code of an isolated tag in inventory and dossier, by the hash of its document', async () => {
    const { db } = site.database
    const id = await insertPixel(db, {
      type: 'custom',
      name: 'Isolado',
      code: '<script>window.isolado = "medida 4711"</script>',
      runs_in: 'isolated',
    })
    const item = await seen(async () => {
      const { items } = await readInventory({
        db,
        nameVendor: (vendor) => vendor,
        isInHtml: () => false,
        checksFiles: false,
      })
      const found = items.find(({ pixel_id, own_files }) => pixel_id === id && own_files.length > 0)
      expect(found).toBeDefined()
      return found
    })
    const [file, ...others] = item?.own_files ?? []
    expect(others).toEqual([])
    const { text } = await read(file?.path ?? '')
    expect(text).toContain('medida 4711')
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(file?.sha256).toBe(sha256)
    const span = { from: '2000-01-01T00:00:00.000Z', until: '9000-01-01T00:00:00.000Z' }
    const periods = await readTagPeriods(db, span, describeVendor)
    expect(periods.find(({ pixel_id }) => pixel_id === id)?.files).toEqual([
      { kind: 'own', path: file?.path, sha256 },
    ])
  })
})

/** A second process on the same database, simulated in this one. */
async function startReplica(site: TestApp): Promise<{ url: string; close(): Promise<unknown> }> {
  const port = await freePort()
  const config = parseConfig({
    PORT: String(port),
    SITE_URL: site.config.siteUrl,
    LOG_LEVEL: 'silent',
    VISIT_COUNTS: site.config.countsVisits ? 'on' : 'off',
    DATA_DIR: site.config.dataDir,
    ...(site.config.databaseUrl === null ? {} : { DATABASE_URL: site.config.databaseUrl }),
    SECRET_KEY_FILE: site.config.secretKey.file,
    PRINCIPAL_ADMIN_EMAIL: site.config.principal.email,
  })
  const app = await buildApp({
    config,
    database: site.database,
    secrets: site.secrets,
    log: createLogger('silent'),
    distDir: 'dist',
    ...QUICK_WORK,
  })
  await app.listen({ host: '127.0.0.1', port })
  return {
    url: `http://localhost:${port}`,
    close: () => {
      app.server.closeAllConnections()
      return app.close()
    },
  }
}
