import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installSystemPackage } from './install-system-package.ts'

/** The directory that holds `initdb` and `postgres`: the system's, or Debian's package when we may install it. */
export function findPostgres(): string {
  const found = locate()
  if (found !== null) return found
  installSystemPackage('postgresql')
  return locate() ?? missing()
}

function locate(): string | null {
  const directories = [
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/local/pgsql/bin',
    '/opt/homebrew/bin',
  ]
  return (
    directories.find((directory) =>
      ['initdb', 'postgres'].every((name) => existsSync(join(directory, name))),
    ) ?? null
  )
}

function missing(): never {
  throw new Error('PostgreSQL was not found and could not be installed')
}
