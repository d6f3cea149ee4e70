/**
 * `npm run bare [-- [--user] [filters of vitest]]`: `npm ci && npm test` on a machine with only Node. Runs a new copy
 * of the repository in a mount namespace where the system's fonts, browsers, PostgreSQL, nginx, wrk and package manager
 * are hidden; with `--user` as an ordinary user. Where npm has no Chromium for the processor, the package manager
 * stays, but knows no browser and can install nothing. For root, on Linux.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Hidden by an empty directory. */
const DIRECTORIES = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  '/usr/lib/chromium',
  '/usr/lib/firefox-esr',
  '/usr/lib/postgresql',
  ...globSync('/usr/lib/*/webkit2gtk-*'),
]
/** Hidden by a file that cannot be run. */
const PROGRAMS = [
  'chromium',
  'chromium-headless-shell',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
  .concat('firefox', 'firefox-esr', 'WebKitWebDriver', 'Xvfb', 'nginx', 'wrk')
  .concat(process.arch === 'x64' ? 'apt-get' : [])
  .flatMap((name) => [`/usr/bin/${name}`, `/usr/sbin/${name}`, `/usr/local/bin/${name}`])
/** `nobody`: every system has it. */
const ORDINARY_USER = '65534'

const asUser = process.argv.includes('--user')
const filters = process.argv.slice(2).filter((argument) => argument !== '--user')
const home = mkdtempSync(join(tmpdir(), 'portico-bare-'))
const copy = join(home, 'portico')
try {
  execFileSync('git', ['clone', '--quiet', '.', copy])
  if (asUser) execFileSync('chown', ['-R', `${ORDINARY_USER}:${ORDINARY_USER}`, home])
  chmodSync(home, 0o755)
  process.exitCode = runBare()
} finally {
  rmSync(home, { recursive: true, force: true })
}

function runBare(): number {
  const directories = DIRECTORIES.filter((path) => existsSync(path))
  // The target of a link before its directory is hidden.
  const programs = new Set(PROGRAMS.filter((path) => existsSync(path)).map((path) => realpathSync(path)))
  const steps = [
    ...Array.from(programs, (path) => `mount --bind /dev/null ${path}`),
    ...directories.map((path) => `mount -t tmpfs tmpfs ${path}`),
    ...(process.arch === 'x64' ? [] : readOnlyRecord()),
    `cd ${copy}`,
    `exec ${asUser ? `setpriv --reuid=${ORDINARY_USER} --regid=${ORDINARY_USER} --clear-groups` : ''} sh -c 'npm ci && npm test -- "$@"' bare "$@"`,
  ]
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-ec', steps.join('\n'), 'bare', ...filters], {
    stdio: 'inherit',
    env: toEnvironment(),
  })
  return status ?? 1
}

/** Debian's list of installed packages without the hidden browsers; read-only, so that nothing can be installed. */
function readOnlyRecord(): string[] {
  const record = join(home, 'dpkg')
  const installed = readFileSync('/var/lib/dpkg/status', 'utf8').split('\n\n')
  mkdirSync(record)
  writeFileSync(
    join(record, 'status'),
    installed.filter((each) => !each.startsWith('Package: chromium')).join('\n\n'),
  )
  return [`mount --bind ${record} /var/lib/dpkg`, 'mount -o remount,bind,ro /var/lib/dpkg']
}

/**
 * The copy must not find this checkout's programs; an ordinary user gets nothing of root's settings except the
 * registry.
 */
function toEnvironment(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(':').filter((directory) => !directory.includes('node_modules'))
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const kept = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_'))
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(':'),
    ...(asUser ? { HOME: home, npm_config_registry: registry } : {}),
  }
}
