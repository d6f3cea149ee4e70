import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../../bench/find-program.ts'
import { TOOLS_DIRECTORY } from '../support/install-npm-tool.ts'

/** The system's program, or one from a Debian package unpacked beside the dependencies; null without either. */
export function findTool(name: string, debianPackage: string): string | null {
  const installed = findProgram(name)
  if (installed !== null) return installed
  const root = join(TOOLS_DIRECTORY, 'debian', debianPackage)
  const programs = () => globSync(join(root, 'usr/{bin,sbin}', name))
  if (programs().length === 0 && existsSync('/usr/bin/apt-get')) unpack(debianPackage, root)
  return programs()[0] ?? null
}

function unpack(debianPackage: string, root: string): void {
  mkdirSync(root, { recursive: true })
  try {
    execFileSync('apt-get', ['download', debianPackage], { cwd: root, stdio: 'ignore' })
    for (const file of globSync(join(root, '*.deb')))
      execFileSync('dpkg', ['-x', file, root], { stdio: 'ignore' })
  } catch {
    // No archive answers: the caller reports what could not be tested.
  }
}
