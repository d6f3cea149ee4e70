import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'

export const BUILD_STAMP = 'dist/stamp'

const INPUTS = ['src/**/*', 'scripts/*.ts', 'vite.config.ts', 'package-lock.json', 'package.json']

/** One hash over the contents of everything that the build reads; times do not count, since a checkout changes them. */
export function hashBuildInputs(): string {
  const hash = createHash('sha256')
  for (const entry of globSync(INPUTS, { withFileTypes: true })
    .filter((found) => found.isFile() && !/\.test\.tsx?$/.test(found.name))
    .map((found) => `${found.parentPath}/${found.name}`)
    .sort()) {
    hash.update(entry).update('\0').update(readFileSync(entry)).update('\0')
  }
  return hash.digest('hex')
}

export function isBuildFresh(): boolean {
  return existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, 'utf8') === hashBuildInputs()
}
