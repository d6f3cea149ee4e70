import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ADMIN_BOOT_ELEMENT_ID } from '../src/contract/admin-page.ts'
import type { LoadRequest } from './measure-load.ts'

export interface Contender {
  name: string
  pid: number
  request: LoadRequest
  /** Path of one of the listed rows, for writing. */
  onePixel: string
  stop(): Promise<void>
}

const LIST = '/rest/v1/tracking_pixels?select=*&order=created_at.desc'
const PIXEL_COUNT = 50
export const CREDENTIALS = { email: 'bench@portico.example', password: 'ponte-lilas-grafite-58' }
const LITE_VERSION = '0.10'
/** lite refuses more bound parameters per statement. */
const ROWS_PER_INSERT = 10

interface PorticoOptions {
  /** Creates the fifty pixels; a directory that has them needs none. */
  seed?: boolean
  signedIn?: boolean
  /** False for a directory with other data. */
  hasFifty?: boolean
  /** Further settings of the server. */
  env?: Record<string, string>
}

export async function startPortico(
  directory: string,
  { seed = true, signedIn = true, hasFifty = true, env = {} }: PorticoOptions = {},
): Promise<Contender> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  // As `npm start` does.
  const preload = ['--disable-warning=ExperimentalWarning', '--import', './scripts/require-node-24.mjs']
  const server = spawn(process.execPath, [...preload, 'scripts/start.ts'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      SITE_URL: url,
      DATA_DIR: join(directory, 'portico'),
      LOG_LEVEL: 'warn',
      PRINCIPAL_ADMIN_EMAIL: CREDENTIALS.email,
      PRINCIPAL_ADMIN_PASSWORD: CREDENTIALS.password,
      ...env,
    },
  })
  await waitFor(`${url}/healthz`, server)
  const page = await (await fetch(`${url}/admin`)).text()
  const boot = new RegExp(`id="${ADMIN_BOOT_ELEMENT_ID}"[^>]*>([^<]+)<`).exec(page)?.[1] ?? '{}'
  const apikey = (JSON.parse(boot) as { anonKey: string }).anonKey
  if (!signedIn) return toContender('Pórtico', server, { url: `${url}${LIST}`, headers: { apikey } }, '')
  const token = await takeToken(`${url}/auth/v1/token?grant_type=password`, apikey)
  const headers = { apikey, authorization: `Bearer ${token}` }
  if (seed) await insertPixels(url, headers)
  const request = { url: `${url}${LIST}`, headers }
  return hasFifty ? contend('Pórtico', server, request) : toContender('Pórtico', server, request, '')
}

/**
 * Its own command line creates the project; its default driver is `node:sqlite`, the fastest that supports sessions.
 */
export async function startLite(directory: string): Promise<Contender> {
  const cwd = join(directory, 'lite')
  mkdirSync(join(cwd, 'supabase/migrations'), { recursive: true })
  writeFileSync(join(cwd, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', `@supabase/lite@${LITE_VERSION}`], {
    cwd,
    stdio: 'ignore',
  })
  const env = { ...process.env, DO_NOT_TRACK: '1', LITE_TELEMETRY: '0' }
  const cli = join(cwd, 'node_modules/@supabase/lite/dist/cli/index.js')
  const lite = (...args: string[]) =>
    execFileSync(process.execPath, [cli, ...args], { cwd, env, stdio: 'ignore' })
  lite('init')
  const port = await freePort()
  const config = join(cwd, 'supabase/config.toml')
  writeFileSync(config, readFileSync(config, 'utf8').replace(/^port = .*/m, `port = ${port}`))
  writeFileSync(join(cwd, 'supabase/migrations/20260101000000_pixels.sql'), TABLE)
  lite('db', 'reset', '--hard')
  const server = spawn(process.execPath, [cli, 'start', '--no-admin'], { cwd, env, stdio: 'ignore' })
  const url = `http://localhost:${port}`
  const keys = readFileSync(join(cwd, '.env'), 'utf8')
  const key = (name: string) => new RegExp(`^SUPABASE_${name}_KEY="?([^"\\n]+)`, 'm').exec(keys)?.[1] ?? ''
  await waitFor(`${url}/rest/v1/tracking_pixels`, server, { apikey: key('SECRET') })
  await insertPixels(url, { apikey: key('SECRET') })
  const apikey = key('PUBLISHABLE')
  const token = await takeToken(`${url}/auth/v1/signup`, apikey)
  return contend(`@supabase/lite ${LITE_VERSION}`, server, {
    url: `${url}${LIST}`,
    headers: { apikey, authorization: `Bearer ${token}` },
  })
}

const TABLE = `create table tracking_pixels (
  id uuid primary key, name text not null, type text not null, pixel_id text, code text not null,
  is_active boolean not null, allowed_hosts jsonb not null, consent_category text not null,
  created_at timestamptz not null, updated_at timestamptz not null);`

/** No comparison with an empty or shorter list. */
async function contend(name: string, server: ChildProcess, request: LoadRequest): Promise<Contender> {
  const answer = await fetch(request.url, { headers: request.headers })
  const rows = (await answer.json()) as { id: string }[]
  if (rows.length !== PIXEL_COUNT) throw new Error(`${name} lists ${rows.length} pixels`)
  return toContender(name, server, request, `/rest/v1/tracking_pixels?id=eq.${rows[0]?.id}`)
}

function toContender(name: string, server: ChildProcess, request: LoadRequest, onePixel: string): Contender {
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  return {
    name,
    pid: server.pid ?? 0,
    request,
    onePixel,
    stop: () => {
      server.kill('SIGTERM')
      return exited
    },
  }
}

async function insertPixels(url: string, headers: Record<string, string>): Promise<void> {
  const pixels = Array.from({ length: PIXEL_COUNT }, (_, index) => ({
    id: randomUUID(),
    name: `Pixel ${index}`,
    type: 'meta',
    pixel_id: `4829103771650${index}`,
    code: `<script>/* ${'x'.repeat(600)} */</script>`,
    is_active: false,
    allowed_hosts: [],
    consent_category: 'marketing',
    created_at: `2026-11-15T01:02:03.${100 + index}Z`,
    updated_at: `2026-11-15T01:02:03.${100 + index}Z`,
  }))
  for (let at = 0; at < pixels.length; at += ROWS_PER_INSERT) {
    await post(`${url}/rest/v1/tracking_pixels`, headers, pixels.slice(at, at + ROWS_PER_INSERT))
  }
}

async function takeToken(url: string, apikey: string): Promise<string> {
  const answer = await post(url, { apikey }, CREDENTIALS)
  return ((await answer.json()) as { access_token: string }).access_token
}

async function post(url: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer
}

async function waitFor(
  url: string,
  server: ChildProcess,
  headers: Record<string, string> = {},
): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null) throw new Error(`a server ended with ${server.exitCode}`)
    const answer = await fetch(url, { headers }).catch(() => null)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer in time`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      server.close(() => (port === undefined ? reject(new Error('no port')) : resolve(port)))
    })
  })
}
