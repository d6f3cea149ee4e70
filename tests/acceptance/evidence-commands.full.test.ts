import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHECKPOINTS_PATH } from '#contract/consent.ts'
import { addToCheckpoint } from '#server/consent/checkpoints.ts'
import { consentCode } from '#server/consent/records.ts'
import { ENGINES } from '../support/engines.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const run = promisify(execFile)

interface Finished {
  code: number
  stdout: string
  stderr: string
}

async function runEvidence(args: string[], settings: Record<string, string> = {}): Promise<Finished> {
  const env = { PATH: process.env.PATH ?? '', ...settings }
  try {
    return { code: 0, ...(await run(process.execPath, ['dist/server/evidence.js', ...args], { env })) }
  } catch (error) {
    return error as Finished
  }
}

describe.each(ENGINES)('npm run evidence beside a live server on %s', (engine) => {
  let site: TestApp
  const folder = mkdtempSync(join(tmpdir(), 'portico-evidence-'))
  const [whole, receipt] = [join(folder, 'tudo.json'), join(folder, 'comprovante.json')]
  const visitor = randomUUID()
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    for (const id of [visitor, randomUUID()])
      await site.app.inject({
        method: 'POST',
        url: '/api/consent',
        payload: { id, action: 'reject', categories: [], text_version: 1, tag_set_version: '' },
      })
    // The server may have made a checkpoint a moment ago; a minute has one.
    await addToCheckpoint(site.database.db, { now: Date.now() + 120_000 })
  })
  afterAll(async () => {
    await site.close()
    rmSync(folder, { recursive: true })
  })

  const evidence = (...args: string[]) =>
    runEvidence(args, {
      DATA_DIR: site.config.dataDir,
      DATABASE_URL: site.config.databaseUrl ?? '',
      SECRET_KEY_FILE: site.config.databaseUrl === null ? '' : site.config.secretKey.file,
      SITE_URL: site.url,
    })

  test('exports a file for the owner only, and verifies without configuration', async () => {
    expect(await evidence('export', whole, '--from', '2026-01-01')).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(whole).mode & 0o777).toBe(0o600)
    const { code, stdout } = await runEvidence(['verify', whole])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Tudo certo: 2 registros em (?:1 selo|2 selos) de http/)
    expect(await evidence('export', whole)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('já existe e não foi alterado'),
    })
  })

  test('proves by code, and compares with what is published', async () => {
    expect((await evidence('prove', consentCode(visitor), receipt)).code).toBe(0)
    expect(readFileSync(receipt, 'utf8')).toContain(visitor)
    for (const file of [whole, receipt]) {
      const { code, stdout } = await runEvidence(['verify', file, '--seals', site.url])
      expect([code, stdout]).toEqual([0, expect.stringContaining('Os selos são iguais aos publicados em')])
    }
    const kept = join(folder, 'selos.json')
    const published = await (await fetch(site.url + CHECKPOINTS_PATH)).text()
    writeFileSync(kept, published.replaceAll(/"hash":"./g, '"hash":"x'))
    expect(await runEvidence(['verify', receipt, '--seals', kept])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('é diferente do publicado'),
    })
  })

  test('names the line of a changed file', async () => {
    const changed = join(folder, 'alterado.json')
    writeFileSync(changed, readFileSync(whole, 'utf8').replace('"refused"', '"accepted"'))
    const { code, stdout, stderr } = await runEvidence(['verify', changed])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Linha \d+: .+\.\n$/)
  })

  test.each([
    ['nothing', [], /^Uso: npm run evidence/],
    ['an unknown option', ['export', '--tudo'], /^A opção --tudo não existe.*\nUso: npm run evidence/],
    ['no file', ['verify'], /^Uso: npm run evidence/],
    ['a file that is not there', ['verify', join(folder, 'nada.json')], /^O arquivo .* não existe/],
    ['no date', ['export', '--from', 'ontem'], /^"ontem" não é uma data/],
    ['a day that no year has', ['export', '--to', '2026-02-30'], /^"2026-02-30" não é uma data/],
    [
      'a period that ends first',
      ['export', '--from', '2026-11-02', '--to', '2026-11-01'],
      /precisa vir antes/,
    ],
    ['a code that nobody has', ['prove', '00000000-0000'], /^Nenhum registro com o código/],
  ])('reports %s in one line', async (_what, args, words) => {
    const { code, stderr } = await evidence(...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(words)
  })
})
