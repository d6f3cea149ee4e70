import type { TestProject } from 'vitest/node'
import { buildIfStale } from '../../scripts/build-if-stale.ts'
import { findChromiumWithWindows, findLightChromium } from './find-chromium.ts'
import { findFirefox } from './find-firefox.ts'
import { findPostgres } from './find-postgres.ts'
import { findWebKit, type WebKitPrograms } from './find-webkit.ts'
import { type FontConfigurations, writeFontConfigurations } from './font-worlds.ts'
import { type MigratedStorage, makeMigratedStorage } from './migrated-storage.ts'
import { startPostgres } from './start-postgres.ts'
import { STORAGE_FOLDER } from './storage-folder.ts'
import { tier } from './tier.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of a private PostgreSQL, without a database name; each test file creates its own database. */
    postgresSocket: string
    migratedStorage: MigratedStorage
    chromium: string
    /** Null if it is not available. */
    chromiumWithWindows: string | null
    /** Null if it is not available. */
    firefox: string | null
    /** Null if it is not available. */
    webkit: WebKitPrograms | null
    fontConfigurations: FontConfigurations['files']
    /** True under `-u`, which writes tables of `docs/` like snapshots. */
    updatesDocs: boolean
  }
}

/** Everything that tests need is created here once per run, and removed again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The build is a separate process; missing programs are fetched meanwhile.
  const [, programs] = await Promise.all([buildIfStale(), findPrograms()])
  // Finds deadlocks sooner than the default second. Databases that live for seconds need no vacuum.
  const postgres = await startPostgres(
    programs.postgres,
    ['deadlock_timeout=50ms', 'autovacuum=off'],
    STORAGE_FOLDER,
  )
  project.provide('postgresSocket', postgres.socketDirectory)
  const { remove: removeMigrated, ...migrated } = await makeMigratedStorage(postgres.socketDirectory)
  project.provide('migratedStorage', migrated)
  project.provide('chromium', programs.chromium)
  project.provide('chromiumWithWindows', programs.chromiumWithWindows)
  project.provide('firefox', programs.firefox)
  project.provide('webkit', programs.webkit)
  const fonts = writeFontConfigurations()
  project.provide('fontConfigurations', fonts.files)
  project.provide('updatesDocs', project.config.snapshotOptions.updateSnapshot === 'all')
  return async () => {
    fonts.remove()
    removeMigrated()
    await postgres.stop()
  }
}

/** Says how long fetching took, so that it is not counted as the suite's time. */
function findPrograms() {
  const began = performance.now()
  const programs = findEach()
  const seconds = Math.round((performance.now() - began) / 1000)
  if (seconds > 0) console.log(`Fetching browsers and PostgreSQL took ${seconds} s`)
  return programs
}

/** One after the other, because some come in one package. */
function findEach() {
  const postgres = findPostgres()
  const chromium = findLightChromium()
  // Only the full tier uses the other browsers, which take minutes to fetch.
  if (tier === 'fast') return { postgres, chromium, chromiumWithWindows: null, firefox: null, webkit: null }
  const programs = {
    postgres,
    chromium,
    chromiumWithWindows: findChromiumWithWindows(),
    firefox: findFirefox(),
    webkit: findWebKit(),
  }
  if (programs.chromiumWithWindows === null)
    console.warn(
      'Chromium with windows is not installed and cannot be: that no page with a session is kept is left out.',
    )
  return programs
}
