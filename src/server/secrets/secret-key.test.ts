import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSecretKey, makeSecretKeyFile, readSecretKeyFile, replaceSecretKeyFile } from './secret-key.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  file = join(folder, 'secret.key')
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('ten processes that create the file at once get one key, and no other file stays', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => makeSecretKeyFile(file)))
  expect(new Set(made.map(([key]) => key?.id)).size).toBe(1)
  expect(await readSecretKeyFile(file)).toEqual(made[0])
  expect(readdirSync(folder)).toEqual(['secret.key'])
  expect(modeOf(file)).toBe('600')
})

test('a replaced file keeps its mode', async () => {
  await makeSecretKeyFile(file)
  const keys = [await makeSecretKey(), await makeSecretKey()]
  await replaceSecretKeyFile(file, keys)
  expect(await readSecretKeyFile(file)).toEqual(keys)
  expect(modeOf(file)).toBe('600')
  expect(readdirSync(folder)).toEqual(['secret.key'])
})

test('a file that others can read is closed before use', async () => {
  await makeSecretKeyFile(file)
  chmodSync(file, 0o644)
  await readSecretKeyFile(file)
  expect(modeOf(file)).toBe('600')
})

test('accepts a single key as a set of one', async () => {
  const [key] = await makeSecretKeyFile(file)
  const [jwk] = (JSON.parse(readFileSync(file, 'utf8')) as { keys: object[] }).keys
  writeFileSync(file, JSON.stringify(jwk))
  expect(await readSecretKeyFile(file)).toEqual([key])
})

test.each([
  ['nothing', ''],
  ['no JSON', 'c2VjcmV0LXNlY3JldA'],
  ['an empty set', '{"keys":[]}'],
  ['null', 'null'],
  ['a short key', '{"kty":"oct","k":"c2VjcmV0LXNlY3JldA"}'],
  ['a key of another kind', '{"kty":"EC","crv":"P-256","x":"c2VjcmV0LXNlY3JldA","d":"c2VjcmV0LXNlY3JldA"}'],
])('refuses %s with the path and without the content', async (_what, content) => {
  writeFileSync(file, content)
  const refusal = await readSecretKeyFile(file).then(
    () => '',
    (error: Error) => error.message,
  )
  expect(refusal).toContain(`${file} não tem uma chave de segredos`)
  expect(refusal).not.toContain('c2VjcmV0LXNlY3JldA')
})
