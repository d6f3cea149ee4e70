import { globSync } from 'node:fs'
import { findProgram } from '../../bench/find-program.ts'
import { launchUnpacked, unpackSystemPackage } from '../support/unpack-system-package.ts'

/** The system's program, or one from a Debian package unpacked beside the dependencies; null without either. */
export function findTool(name: string, debianPackage: string): string | null {
  const installed = findProgram(name)
  if (installed !== null) return installed
  const root = unpackSystemPackage(debianPackage)
  if (root === null) return null
  const [program] = globSync(`usr/{bin,sbin}/${name}`, { cwd: root })
  return program === undefined ? null : launchUnpacked(root, program)
}
