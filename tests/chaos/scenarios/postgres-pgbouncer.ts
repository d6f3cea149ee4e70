import { spawn } from 'node:child_process'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { installSystemPackage } from '#tests/support/install-system-package.ts'
import { postgresUnderLoad } from '../postgres-under-load.ts'
import { accepts, type Place, type Scenario, until } from '../scenario.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
const NOBODY = 65_534

export const postgresPgbouncer: Scenario = {
  name: 'PostgreSQL restarts behind PgBouncer in transaction mode',
  promised:
    'two replicas migrate and work through four connections; the page never fails, everything recovers, nothing is lost',
  obstacle: () =>
    existsSync(PROGRAM) || installSystemPackage('pgbouncer') ? null : 'PgBouncer is not installed',
  run: (place) =>
    postgresUnderLoad(place, ({ postgres, untilRefused }) => postgres.whileDown(untilRefused), {
      connectThrough: ({ socketDirectory }) => startPgbouncer(place, socketDirectory),
    }),
}

async function startPgbouncer(place: Place, socketDirectory: string): Promise<string> {
  const port = await freePort()
  const settings = join(socketDirectory, 'pgbouncer.ini')
  const users = join(socketDirectory, 'users.txt')
  writeFileSync(users, '"postgres" ""\n')
  writeFileSync(
    settings,
    [
      '[databases]',
      `* = host=${socketDirectory}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'default_pool_size = 4',
      'server_login_retry = 1',
    ].join('\n'),
  )
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if ('uid' in identity) for (const file of [settings, users]) chownSync(file, NOBODY, NOBODY)
  const child = spawn(PROGRAM, ['-q', settings], { ...identity, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  place.atEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until('PgBouncer listens', () => accepts(port))
  return `postgres://postgres@127.0.0.1:${port}/site`
}
