import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { openDatabase } from '#server/db/database.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'
import { failOnProblem, makeStorage, type Storage } from '../support/engines.ts'
import { insertSecrets, openAll, textsOf } from '../support/secret-rows.ts'
import { spawnNode } from '../support/spawn-server.ts'

const places: Storage[] = []
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove()
})

async function command(name: 'export' | 'import', place: Storage, ...args: string[]): Promise<string> {
  const run = spawnNode([`dist/server/${name}.js`, ...args], place.env)
  return `${await run.ended}\n${run.output()}`
}

test('moves from SQLite to PostgreSQL with the secret key', async () => {
  const [from, to] = [await makeStorage('sqlite'), await makeStorage('postgres')]
  places.push(from, to)
  const source = openDatabase(from)
  const secrets = await prepareDatabase(parseConfig(from.env), source.db, failOnProblem)
  const rows = await insertSecrets(source.db, secrets, 'ana@exemplo.com.br')
  await source.close()
  const file = join(from.dataDir, 'all.jsonl')

  const before = readdirSync(from.dataDir)
  expect(await command('export', from, file)).toMatch(/^0\nBanco de dados exportado/)
  expect(readdirSync(from.dataDir).filter((name) => !before.includes(name))).toEqual(['all.jsonl'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(textsOf(rows)[0])
  expect(await command('export', from, file)).toMatch(/^1\nO arquivo .* já existe/)

  expect(await command('import', to, file)).toMatch(/^1\nOs segredos de .* usam a chave/)
  copyFileSync(join(from.dataDir, 'secret.key'), to.env.SECRET_KEY_FILE ?? '')
  expect(await command('import', to, file)).toMatch(/^0\n\d+ registros importados/)
  const target = openDatabase(to)
  const opened = await prepareDatabase(parseConfig(to.env), target.db, failOnProblem)
  expect(await openAll(target.db, opened, rows)).toEqual(textsOf(rows))
  await target.close()
})
