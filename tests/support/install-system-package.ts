import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Installs a Debian package when this is root on Debian; says whether it did. */
export function installSystemPackage(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
  execFileSync('apt-get', ['update'], options)
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', name], options)
  return true
}
