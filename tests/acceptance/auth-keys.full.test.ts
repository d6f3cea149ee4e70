import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuthClient } from '@supabase/auth-js'
import { decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { makeStorage, type Storage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, spawnNode, spawnServer, untilReady } from '../support/spawn-server.ts'

const PRINCIPAL = { email: 'principal@portico.example', password: 'ponte-lilas-grafite-58' }

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface Running {
  url: string
  admin(...args: string[]): Promise<string>
  auth(anon: string): InstanceType<typeof AuthClient>
}

async function run(env: (storage: Storage) => Record<string, string> = () => ({})): Promise<Running> {
  const storage = await makeStorage('sqlite')
  cleanUps.push(storage.remove)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const all = {
    PORT: String(port),
    DATA_DIR: storage.dataDir,
    PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
    PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
    ...env(storage),
  }
  const server: SpawnedServer = spawnServer(all)
  cleanUps.push(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  await untilReady(server, url)
  return {
    url,
    admin: async (...args) => {
      const command = spawnNode(['dist/server/admin.js', ...args], all)
      const code = await command.ended
      return `${code}\n${command.output()}`
    },
    auth: (anon) =>
      new AuthClient({
        url: `${url}/auth/v1`,
        headers: { apikey: anon },
        persistSession: false,
        autoRefreshToken: false,
      }),
  }
}

const keysIn = (output: string) => output.match(/eyJ\S+/g) ?? []

describe('the command beside a running server', () => {
  test('prints working keys, sets a new password that ends all sessions, and rotates the keys', async () => {
    const site = await run()
    const [anon = '', service = ''] = keysIn(await site.admin('keys'))
    const auth = site.auth(anon)
    expect((await auth.signInWithPassword(PRINCIPAL)).error).toBeNull()
    const list = await fetch(`${site.url}/auth/v1/admin/users`, {
      headers: { apikey: service, authorization: `Bearer ${service}` },
    })
    expect(list.status).toBe(200)
    const [named = ''] = keysIn(await site.admin('make-key', 'loja', '--days', '30'))
    const withNamed = async () =>
      (
        await fetch(`${site.url}/auth/v1/admin/users`, {
          headers: { apikey: named, authorization: `Bearer ${named}` },
        })
      ).status
    expect(await withNamed()).toBe(200)
    expect(await site.admin('revoke-key', 'loja')).toMatch(/^0\nChave "loja" revogada/)
    expect(await site.admin('list-keys')).toMatch(/padrão\t.*sem data de validade\nloja\t.*revogada em/)
    await expect.poll(withNamed, { timeout: 30_000 }).toBe(401)

    const reset = await site.admin('reset-password', PRINCIPAL.email)
    const password = /: ([a-z0-9-]{24})\n/.exec(reset)?.[1] ?? ''
    expect((await auth.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await auth.signInWithPassword(PRINCIPAL)).error?.code).toBe('invalid_credentials')
    expect((await auth.signInWithPassword({ ...PRINCIPAL, password })).error).toBeNull()

    const [newAnon = ''] = keysIn(await site.admin('rotate-keys', '--now'))
    expect((await auth.getUser()).error).not.toBeNull()
    await expect
      .poll(async () => (await fetch(`${site.url}/auth/v1/settings`, { headers: { apikey: anon } })).status, {
        timeout: 30_000,
      })
      .toBe(401)
    expect((await site.auth(newAnon).signInWithPassword({ ...PRINCIPAL, password })).error).toBeNull()
  })

  test('shows its usage, and reports what it does not find', async () => {
    const site = await run()
    expect(await site.admin()).toMatch(/^1\nUso:/)
    expect(await site.admin('reset-password')).toMatch(/^1\nUso:/)
    expect(await site.admin('remove-factors')).toMatch(/^1\nUso:/)
    expect(await site.admin('remove-factors', 'ninguem@exemplo.com.br')).toMatch(/^1\nNenhuma conta usa/)
    expect(await site.admin('remove-factors', PRINCIPAL.email)).toMatch(
      /^0\nA conta .* não usava verificação/,
    )
    expect(await site.admin('reset-password', 'ninguem@exemplo.com.br')).toBe(
      '1\nNenhuma conta usa o e-mail ninguem@exemplo.com.br.\n',
    )
  })
})

test.each(['RS256', 'ES256'] as const)('an %s key from a file signs everything', async (alg) => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: `ours-${alg}`, alg, key_ops: ['sign', 'verify'] }
  const site = await run(({ dataDir }) => {
    const file = join(dataDir, 'key.json')
    writeFileSync(file, JSON.stringify(alg === 'RS256' ? [jwk] : jwk))
    return { AUTH_SIGNING_KEY_FILE: file }
  })
  const anon = await new SignJWT({ role: 'anon', iss: 'elsewhere' })
    .setProtectedHeader({ alg })
    .sign(privateKey)
  const auth = site.auth(anon)
  const { data, error } = await auth.signInWithPassword(PRINCIPAL)
  expect(error).toBeNull()
  const token = data.session?.access_token ?? ''
  expect(decodeProtectedHeader(token)).toMatchObject({ alg, kid: jwk.kid })
  expect((await auth.getClaims(token)).data?.claims.email).toBe(PRINCIPAL.email)
  const jwks = await (await fetch(`${site.url}/auth/v1/.well-known/jwks.json`)).text()
  expect(jwks).not.toMatch(/"(d|p|q|dp|dq|qi)":/)
  expect(await site.admin('rotate-keys')).toMatch(/^1\nA chave de assinatura está no arquivo/)
})

test.each([
  '',
  '{}',
  '[]',
  'null',
  '{"kty":"oct","k":"c2VjcmV0LXNlY3JldA"}',
  '{"kty":"EC","crv":"P-256","x":"a","y":"b"}',
])('reports a key file with %j in one line, without the key', async (content) => {
  const storage = await makeStorage('sqlite')
  cleanUps.push(storage.remove)
  const file = join(storage.dataDir, 'key.json')
  writeFileSync(file, content)
  const env = { PORT: String(await freePort()), DATA_DIR: storage.dataDir, AUTH_SIGNING_KEY_FILE: file }
  const server = spawnServer(env)
  expect(await server.ended).toBe(78)
  expect(server.output()).toMatch(
    /^A configuração tem 1 erro:\n {2}- AUTH_SIGNING_KEY_FILE precisa ser .*\n$/,
  )
})
