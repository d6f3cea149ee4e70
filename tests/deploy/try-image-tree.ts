import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, untilReady } from '../support/spawn-server.ts'
import { healthCommand, IMAGE_USER, imageCommand, makeRoot, runConfined } from './confined-tree.ts'
import { findTool } from './find-tool.ts'

const SETTLE_MS = 5_000

/** Starts the image's tree like an engine, and returns rows of name and finding. Throws on an error. */
export async function tryImageTree(folder: string): Promise<[string, string][]> {
  const bwrap = findTool('bwrap', 'bubblewrap')
  if (bwrap === null || process.getuid?.() !== 0)
    return [['image tree', 'not tried: needs root and bubblewrap']]
  const root = makeRoot(folder)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, IMAGE_USER, IMAGE_USER)
  const env = { PORT: String(await freePort()), HOST: '127.0.0.1' }
  const place = { root, data }
  const url = `http://127.0.0.1:${env.PORT}`
  const server = runConfined(bwrap, place, env, imageCommand())
  try {
    await untilReady(server, url)
    const page = await fetch(url)
    expectThat(page.status === 200, `the page answers ${page.status}`)
    await wait(SETTLE_MS)
    const status = readFileSync(`/proc/${serverPid(server)}/status`, 'utf8')
    const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? ''
    expectThat(field('Uid').startsWith(`${IMAGE_USER}\t`), `it runs as ${field('Uid')}`)
    expectThat(field('NSpid').endsWith('\t1'), `it is process ${field('NSpid')} of its namespace`)
    expectThat(/^0+$/.test(field('CapEff')) && /^0+$/.test(field('CapBnd')), `it has ${field('CapBnd')}`)
    expectThat(field('NoNewPrivs') === '1', 'it may gain privileges')
    const write = "require('fs').writeFileSync('/app/dist/x','')"
    const tried = runConfined(bwrap, place, env, ['/nodejs/bin/node', '-e', write])
    expectThat((await tried.ended) !== 0 && tried.output().includes('EROFS'), 'its root can be written')
    const health = runConfined(bwrap, place, env, healthCommand())
    expectThat((await health.ended) === 0, `its health check fails: ${health.output()}`)
    const version = runConfined(bwrap, place, env, [
      '/nodejs/bin/node',
      'dist/server/newsletter.js',
      'status',
    ])
    expectThat((await version.ended) === 0, `a command fails: ${version.output()}`)
    process.kill(serverPid(server), 'SIGTERM')
    expectThat((await server.ended) === 0, `SIGTERM ends it with ${await server.ended}`)
    const sick = runConfined(bwrap, place, env, healthCommand())
    expectThat((await sick.ended) === 1, 'its health check succeeds without a server')
    return [
      [
        'image tree, read-only root, user 65532, no capability, process 1',
        'serves, is healthy, ends by SIGTERM with 0',
      ],
      ['size of the tree without Node', `${megabytes(join(root, 'app'))} MB`],
      ['size of Node and its libraries', `${(megabytes(root) - megabytes(join(root, 'app'))).toFixed(1)} MB`],
      ['memory when idle (RSS)', `${Math.round(Number.parseInt(field('VmRSS'), 10) / 1024)} MB`],
    ]
  } finally {
    server.child.kill('SIGKILL')
    await server.ended
  }
}

/** The only child of bubblewrap's process. */
function serverPid({ child: { pid } }: SpawnedServer): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
}

function megabytes(path: string): number {
  return Math.round(Number.parseInt(execFileSync('du', ['-sk', path], { encoding: 'utf8' }), 10) / 102.4) / 10
}

function expectThat(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise)
}
