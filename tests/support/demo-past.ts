import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { PastOptions } from '#server/demo/past.ts'
import { hashBuildInputs } from '../../scripts/build-stamp.ts'
import { spawnNode } from './spawn-server.ts'

const DIRECTORY = resolve('node_modules/.cache/portico-demo')

export const DEMO_PRINCIPAL = { email: 'principal@portico.example', password: 'ponte-lilas-grafite-58' }

/** A Tuesday afternoon at the site. */
export const DEMO_UNTIL = Date.parse('2026-11-17T18:40:00.000Z')

/** Of every test that needs only some past: it is made once. */
export const DEMO_WANTED = { days: 12, visits: 300, seed: 'portico' }

type Wanted = Pick<PastOptions, 'days' | 'visits' | 'seed'> & { until?: number }

/**
 * The data directory of a demonstration whose past was lived through, made once for the sources as they are. It is shared:
 * whoever writes copies it first.
 */
export async function demoPast(wanted: Wanted): Promise<string> {
  const { days, visits, seed, until = DEMO_UNTIL } = wanted
  const version = hashBuildInputs().slice(0, 16)
  const kept = join(DIRECTORY, version, `${days}-${visits}-${seed}-${until}`)
  if (existsSync(kept)) return kept
  mkdirSync(join(DIRECTORY, version), { recursive: true })
  removeOld(DIRECTORY, version)
  const made = await makeDemoPast(wanted)
  try {
    renameSync(made, kept)
  } catch {
    // Another worker was faster.
    rmSync(made, { recursive: true, force: true })
  }
  return kept
}

/** A past that is being made is younger than this. */
const UNFINISHED_MS = 3_600_000

/** Removes pasts of other sources, and what a killed test left. */
export function removeOld(directory: string, version: string, now = Date.now()): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    const isWanted = name === version || (name.startsWith('new-') && age < UNFINISHED_MS)
    if (!isWanted) rmSync(path, { recursive: true, force: true })
  }
}

/** The same, made anew. */
export async function makeDemoPast({ days, visits, seed, until = DEMO_UNTIL }: Wanted): Promise<string> {
  mkdirSync(DIRECTORY, { recursive: true })
  const dataDir = mkdtempSync(join(DIRECTORY, 'new-'))
  const options: PastOptions = { dataDir, days, visits, seed, until, port: 3000, principal: DEMO_PRINCIPAL }
  const past = spawnNode(
    [
      '--disable-warning=ExperimentalWarning',
      // Most of what a visit allocates dies young.
      '--max-semi-space-size=64',
      'src/server/demo/past.ts',
      JSON.stringify(options),
    ],
    {},
  )
  const code = await past.ended
  if (code !== 0) throw new Error(`the past ended with ${code}:\n${past.output()}`)
  return dataDir
}
