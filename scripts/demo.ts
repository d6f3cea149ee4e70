/**
 * `npm run demo`: a site with 90 days of data, on 127.0.0.1 and in a temporary folder that is deleted at the end. It
 * ignores DATABASE_URL and DATA_DIR; nothing leaves the machine.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseConfig, readEnvironment } from '../src/server/config.ts'
import type { PastOptions } from '../src/server/demo/past.ts'
import { OperatorError } from '../src/server/operator-error.ts'
import { buildIfStale } from './build-if-stale.ts'

const USAGE = 'Uso: npm run demo -- [--days 1 a 730] [--visits 1 a 5000] [--seed TEXTO]'

/** The process of the past and this one load the same modules. */
const COMPILE_CACHE = 'node_modules/.cache/compiled'

/** Clean-up steps, run in reverse order. */
const undo: (() => Promise<void> | void)[] = []
let isStopping = false

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    void stop(0)
  })

try {
  await run()
} catch (error) {
  if (!isStopping) {
    console.error(error instanceof OperatorError ? error.message : error)
    await stop(1)
  }
}

async function run(): Promise<void> {
  const { days, visits, seed } = readOptions()
  const environment = readEnvironment()
  const { port, principal } = parseConfig({
    PORT: environment.PORT,
    PRINCIPAL_ADMIN_EMAIL: environment.PRINCIPAL_ADMIN_EMAIL,
    PRINCIPAL_ADMIN_PASSWORD: environment.PRINCIPAL_ADMIN_PASSWORD,
  })
  await refuseTakenPort(port)
  await buildIfStale()
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-demo-'))
  undo.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const options: PastOptions = {
    dataDir,
    days,
    visits,
    seed,
    until: Date.now(),
    port,
    principal: {
      email: principal.email,
      password: principal.password ?? randomBytes(9).toString('base64url'),
    },
  }
  const begun = performance.now()
  console.log(`Criando ${days} dias de demonstração, com cerca de ${visits} visitas por dia…`)
  enableCompileCache(COMPILE_CACHE)
  // Loaded while the other process, which needs one core only, simulates the past.
  const [{ serveDemo }] = await Promise.all([import('../src/server/demo/demo.ts'), makePast(options)])
  undo.push(await serveDemo(options))
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(`
Demonstração pronta em ${seconds} s: http://localhost:${port}/admin
  e-mail: ${options.principal.email}
  senha:  ${principal.password === null ? options.principal.password : 'a de PRINCIPAL_ADMIN_PASSWORD'}
Todos os dados são inventados, nada sai desta máquina, e Ctrl-C apaga tudo.
E-mails: ${join(dataDir, 'outbox')}
`)
}

/** In a separate process, because it changes the clock. */
async function makePast(options: PastOptions): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      // Most of what a visit allocates dies young.
      '--max-semi-space-size=64',
      'src/server/demo/past.ts',
      JSON.stringify(options),
    ],
    { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE } },
  )
  const ended = once(child, 'exit')
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await ended
  }
  undo.push(end)
  const [code] = await ended
  if (code !== 0) throw new OperatorError('A demonstração não pôde ser criada.')
}

/** Printed before the minute of work. */
async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer()
  try {
    probe.listen(port, '127.0.0.1')
    await once(probe, 'listening')
  } catch {
    throw new OperatorError(`A porta ${port} já está em uso. Pare o outro programa ou escolha outra em PORT.`)
  }
  probe.close()
  await once(probe, 'close')
}

function readOptions(): { days: number; visits: number; seed: string } {
  try {
    const { values } = parseArgs({
      options: {
        days: { type: 'string', default: '90' },
        visits: { type: 'string', default: '300' },
        seed: { type: 'string', default: 'portico' },
      },
    })
    return { days: readNumber(values.days, 730), visits: readNumber(values.visits, 5_000), seed: values.seed }
  } catch {
    throw new OperatorError(USAGE)
  }
}

function readNumber(text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(text)
  return value
}

async function stop(code: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  for (const step of undo.reverse()) await step()
  process.exit(code)
}
