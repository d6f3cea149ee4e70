import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ENGINES } from '../support/engines.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { startWebhook, type TestWebhook } from '../support/webhook.ts'

const run = promisify(execFile)

interface Finished {
  code: number
  stdout: string
  stderr: string
}

async function runNewsletter(args: string[], settings: Record<string, string>): Promise<Finished> {
  const env = { PATH: process.env.PATH ?? '', ...settings }
  try {
    const output = await run(process.execPath, ['dist/server/newsletter.js', ...args], { env })
    return { code: 0, ...output }
  } catch (error) {
    return error as Finished
  }
}

describe.each(ENGINES)('npm run newsletter beside a live server on %s', (engine) => {
  let site: TestApp
  let webhook: TestWebhook
  beforeAll(async () => {
    webhook = await startWebhook()
    webhook.behave((response, call) => {
      response.writeHead(call.email.startsWith('ana') ? 200 : 500).end()
    })
    site = await startTestApp({ engine, listen: true, env: { NEWSLETTER_WEBHOOK_URL: webhook.url } })
    for (const name of ['ana', 'bia', '=1+1'])
      await site.app.inject({
        method: 'POST',
        url: '/api/newsletter',
        payload: { email: `${name}@exemplo.com.br` },
      })
    await vi.waitFor(async () => {
      const rows = await site.database.db.selectFrom('newsletter_subscriptions').select('attempts').execute()
      expect(rows.filter((row) => row.attempts > 0)).toHaveLength(3)
    }, 30_000)
  })
  afterAll(async () => {
    await site.close()
    await webhook.close()
  })

  async function statusOf(name: string): Promise<string | undefined> {
    const row = await site.database.db
      .selectFrom('newsletter_subscriptions')
      .select('status')
      .where('email', '=', `${name}@exemplo.com.br`)
      .executeTakeFirst()
    return row?.status
  }

  const newsletter = (...args: string[]) =>
    runNewsletter(args, {
      DATA_DIR: site.config.dataDir,
      DATABASE_URL: site.config.databaseUrl ?? '',
      SECRET_KEY_FILE: site.config.databaseUrl === null ? '' : site.config.secretKey.file,
      NEWSLETTER_WEBHOOK_URL: webhook.url,
    })

  test('status shows counts and no addresses', async () => {
    const { code, stdout, stderr } = await newsletter('status')
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toMatch(/Na fila: +2\nEnviadas: +1\nFalharam: +0\n/)
    expect(stdout).toContain('Erro em 2 inscrições: HTTP 500')
    expect(stdout).not.toContain('@')
  })

  test('export writes CSV to the output', async () => {
    const { stdout } = await newsletter('export')
    const lines = stdout.split('\r\n')
    expect(lines).toHaveLength(5)
    expect(stdout).toMatch(/^"ana@exemplo\.com\.br","entregue",/m)
    expect(stdout).toMatch(/^"bia@exemplo\.com\.br","aguardando",.*,"HTTP 500"\r$/m)
  })

  test('export writes a file for the owner only, and overwrites none', async () => {
    const file = join(site.config.dataDir, 'lista.csv')
    const first = await newsletter('export', file)
    expect(first.stdout).toBe(`Inscrições salvas em ${file}\n`)
    expect(readFileSync(file, 'utf8').split('\r\n')).toHaveLength(5)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, 'meu')
    const second = await newsletter('export', file)
    expect([second.code, second.stderr]).toEqual([
      1,
      `O arquivo ${file} já existe e não foi alterado. Escolha outro nome.\n`,
    ])
    expect(readFileSync(file, 'utf8')).toBe('meu')
  })

  test('retry queues failed ones, and the live server delivers them', async () => {
    const { db } = site.database
    const later = new Date(Date.now() + 3_000_000).toISOString()
    const queued = db.selectFrom('deliveries').select('id')
    // A running attempt finishes first.
    await expect
      .poll(
        async () => {
          await db
            .updateTable('deliveries')
            .set({ next_attempt_at: later })
            .where('leased_until', 'is', null)
            .execute()
          return queued
            .where((eb) => eb.or([eb('leased_until', 'is not', null), eb('next_attempt_at', '<', later)]))
            .execute()
        },
        { timeout: 30_000 },
      )
      .toEqual([])
    const given = await db
      .updateTable('newsletter_subscriptions')
      .set({ status: 'failed' })
      .where('email', 'like', 'bia@%')
      .returning('id')
      .executeTakeFirstOrThrow()
    await db.deleteFrom('deliveries').where('subscription_id', '=', given.id).execute()
    webhook.behave((response) => void response.writeHead(204).end())
    const { stdout } = await newsletter('retry')
    expect(stdout).toBe('Voltaram para a fila: 1. Com envio antecipado: 1.\n')
    await expect.poll(() => statusOf('bia'), { timeout: 30_000 }).toBe('delivered')
    await expect.poll(() => statusOf('=1+1'), { timeout: 30_000 }).toBe('delivered')
  })

  test('erase deletes the person, including the bytes in the file', async () => {
    const { code, stdout } = await newsletter('erase', ' ANA@exemplo.com.br ')
    expect(code).toBe(0)
    expect(stdout).toBe(
      'Inscrição excluída.\nO e-mail já pode ter sido enviado ao webhook. Peça para excluir lá também.\n',
    )
    expect(await statusOf('ana')).toBeUndefined()
    expect(await statusOf('bia')).toBe('delivered')
    for (const file of readdirSync(site.config.dataDir).filter((name) => name.startsWith('portico.db')))
      expect(readFileSync(join(site.config.dataDir, file)).includes('ana@exemplo')).toBe(false)
  })
})

describe('npm run newsletter reports errors in one line', () => {
  let site: TestApp
  beforeAll(async () => {
    site = await startTestApp()
  })
  afterAll(() => site.close())

  test.each([
    [
      'somebody unknown',
      ['erase', 'ninguem@exemplo.com.br'],
      /^Nenhuma inscrição com o e-mail ninguem@exemplo\.com\.br\.\n$/,
    ],
    ['what is no e-mail', ['erase', 'ana'], /^"ana" não é um e-mail válido\.\n$/],
    ['nobody', ['erase'], /^Uso: npm run newsletter/],
    ['nothing', [], /^Uso: npm run newsletter/],
    ['an unknown command', ['apagar-tudo'], /^Uso: npm run newsletter/],
    ['too many arguments', ['retry', 'tudo'], /^Uso: npm run newsletter/],
  ])('%s', async (_what, args, message) => {
    const { code, stdout, stderr } = await runNewsletter(args, { DATA_DIR: site.config.dataDir })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(message)
  })

  test('a data directory without a database, and creates none', async () => {
    const empty = join(site.config.dataDir, 'outra')
    const { code, stderr } = await runNewsletter(['status'], { DATA_DIR: empty })
    expect([code, stderr]).toEqual([
      1,
      `Não há banco de dados do Pórtico em ${empty}. Confira DATA_DIR; as configurações do serviço vêm de --env-file ARQUIVO.\n`,
    ])
    expect(() => statSync(empty)).toThrow()
  })

  test('a missing webhook', async () => {
    const { code, stdout } = await runNewsletter(['status'], { DATA_DIR: site.config.dataDir })
    expect(code).toBe(0)
    expect(stdout).toContain('NEWSLETTER_WEBHOOK_URL não está definida')
  })
})
