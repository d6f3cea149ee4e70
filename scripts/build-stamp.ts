import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export const BUILD_STAMP = 'dist/stamp'

const FOLDERS = ['src', 'docs/guia']
const FILES = ['vite.config.ts', 'package-lock.json', 'package.json']

/** One hash over the contents of all build inputs; times do not count, because a checkout changes them. */
export function hashBuildInputs(): string {
  const hash = createHash('sha256')
  for (const entry of inputs().sort()) {
    hash.update(entry).update('\0').update(readFileSync(entry)).update('\0')
  }
  return hash.digest('hex')
}

function inputs(): string[] {
  const scripts = filesBelow('scripts').filter((file) => file.endsWith('.ts'))
  return [...FOLDERS.flatMap(filesBelow), ...scripts, ...FILES]
}

/** Listing the folders takes a seventh of the time of a glob, and every start waits for it. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile() && !/\.test\.tsx?$/.test(found.name))
    .map((found) => `${found.parentPath}/${found.name}`)
}

export function isBuildFresh(): boolean {
  return existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, 'utf8') === hashBuildInputs()
}
