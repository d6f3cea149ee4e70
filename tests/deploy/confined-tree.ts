import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SpawnedServer, watchProcess } from '../support/spawn-server.ts'

/** The image's user and group, `nonroot`. */
export const IMAGE_USER = 65_532

/** The image's command, as the Dockerfile has it. */
export function imageCommand(): string[] {
  const command = /^CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '[]'
  return ['/nodejs/bin/node', ...(JSON.parse(command) as string[])]
}

export function healthCommand(): string[] {
  const command = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '[]'
  return JSON.parse(command) as string[]
}

/** The tree, and what the base image has of this machine: Node and its libraries. */
export function makeRoot(folder: string): string {
  const root = join(folder, 'root')
  for (const name of ['nodejs/bin', 'data', 'tmp', 'proc', 'dev'])
    mkdirSync(join(root, name), { recursive: true })
  execFileSync(process.execPath, ['scripts/image-tree.ts', join(root, 'app')])
  execFileSync('cp', ['-L', process.execPath, join(root, 'nodejs/bin/node')])
  const linked = [process.execPath, ...globSync(join(root, 'app/node_modules/**/*.node'))]
  const libraries = linked.flatMap(
    (file) => execFileSync('ldd', [file], { encoding: 'utf8' }).match(/\/lib\S+/g) ?? [],
  )
  execFileSync('cp', ['-L', '--parents', ...new Set(libraries), root])
  for (const path of [folder, root]) chmodSync(path, 0o755)
  return root
}

/**
 * Runs a command like a container engine: process 1 of its namespaces, with a read-only root, as the image's user,
 * without capabilities. Only `/data` and `/tmp` are writable.
 */
export function runConfined(
  bwrap: string,
  { root, data }: { root: string; data: string },
  env: Record<string, string>,
  command: readonly string[],
): SpawnedServer {
  const variables = Object.entries({ NODE_ENV: 'production', DATA_DIR: '/data', ...env })
  const user = String(IMAGE_USER)
  const confined = [
    ...[bwrap, '--ro-bind', root, '/', '--bind', data, '/data', '--tmpfs', '/tmp', '--proc', '/proc'],
    ...['--dev', '/dev', '--unshare-all', '--share-net', '--uid', user, '--gid', user, '--cap-drop', 'ALL'],
    ...['--as-pid-1', '--die-with-parent', '--chdir', '/app', '--clearenv'],
    ...variables.flatMap(([name, value]) => ['--setenv', name, value]),
    ...command,
  ]
  return watchProcess(spawn('setpriv', [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...confined]))
}
