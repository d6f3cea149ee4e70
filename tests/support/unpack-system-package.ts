import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOOLS_DIRECTORY } from './install-npm-tool.ts'

const FOLDER = join(TOOLS_DIRECTORY, 'debian')

/**
 * A Debian package for users who may not install one: it and its missing dependencies are fetched and unpacked among
 * the tools. Returns the root folder, or null if this is not Debian or its archive does not answer.
 */
export function unpackSystemPackage(name: string): string | null {
  if (!existsSync('/usr/bin/apt-get')) return null
  const root = join(FOLDER, name)
  if (existsSync(root)) return root
  const fetched = join(FOLDER, 'fetched')
  const unpacked = join(FOLDER, 'unpacked')
  // Left by an interrupted run.
  for (const folder of [fetched, unpacked]) rmSync(folder, { recursive: true, force: true })
  for (const folder of ['lists/partial', 'archives/partial'])
    mkdirSync(join(fetched, folder), { recursive: true })
  mkdirSync(unpacked)
  const own = {
    'Dir::State::lists': `${fetched}/lists`,
    'Dir::Cache': fetched,
    // Nothing of the system is written, so no lock is needed, and root needs no fetch user.
    'Debug::NoLocking': 'true',
    'APT::Sandbox::User': 'root',
  }
  const options = Object.entries(own).flatMap(([option, value]) => ['-o', `${option}=${value}`])
  try {
    execFileSync('apt-get', [...options, 'update'], { stdio: 'ignore' })
    const fetch = ['install', '--download-only', '-y', '--no-install-recommends', name]
    execFileSync('apt-get', [...options, ...fetch], { stdio: 'ignore' })
    for (const file of globSync(`${fetched}/archives/*.deb`))
      execFileSync('dpkg-deb', ['-x', file, unpacked], { stdio: 'ignore' })
  } catch {
    return null
  } finally {
    rmSync(fetched, { recursive: true, force: true })
  }
  // Complete or not at all.
  renameSync(unpacked, root)
  return root
}

/** Starts a program of an unpacked package with the libraries that were unpacked beside it. */
export function launchUnpacked(root: string, program: string): string {
  const libraries = globSync(`${root}/usr/lib/*-linux-gnu`).join(':')
  return makeLauncher(join(root, 'launch'), `LD_LIBRARY_PATH="${libraries}"`, join(root, program))
}

export function makeLauncher(file: string, environment: string, program: string): string {
  writeFileSync(file, `#!/bin/sh\n${environment} exec "${program}" "$@"\n`)
  chmodSync(file, 0o755)
  return file
}
