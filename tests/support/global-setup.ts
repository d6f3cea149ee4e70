import type { TestProject } from 'vitest/node'
import { buildIfStale } from '../../scripts/build-if-stale.ts'
import { findChromiumWithWindows, findLightChromium } from './find-chromium.ts'
import { findFirefox } from './find-firefox.ts'
import { findPostgres } from './find-postgres.ts'
import { findWebKit, type WebKitPrograms } from './find-webkit.ts'
import { type FontConfigurations, writeFontConfigurations } from './font-worlds.ts'
import { type MigratedStorage, makeMigratedStorage } from './migrated-storage.ts'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of a private PostgreSQL, without a database name; each test file makes its own database in it. */
    postgresSocket: string
    migratedStorage: MigratedStorage
    chromium: string
    /** Null where it cannot be had. */
    chromiumWithWindows: string | null
    /** Null where it cannot be had. */
    firefox: string | null
    /** Null where it cannot be had. */
    webkit: WebKitPrograms | null
    fontConfigurations: FontConfigurations['files']
  }
}

/** Whatever the tests need is made here, once for the whole run, and taken down again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The build is a process of its own; programs that are not there are fetched beside it.
  const [, programs] = await Promise.all([buildIfStale(), findPrograms()])
  // A deadlock is found after a second by default: the same, sooner. Databases that live for seconds need no cleaning.
  const postgres = await startPostgres(programs.postgres, ['deadlock_timeout=50ms', 'autovacuum=off'])
  project.provide('postgresSocket', postgres.socketDirectory)
  const { remove: removeMigrated, ...migrated } = await makeMigratedStorage(postgres.socketDirectory)
  project.provide('migratedStorage', migrated)
  project.provide('chromium', programs.chromium)
  project.provide('chromiumWithWindows', programs.chromiumWithWindows)
  project.provide('firefox', programs.firefox)
  project.provide('webkit', programs.webkit)
  const fonts = writeFontConfigurations()
  project.provide('fontConfigurations', fonts.files)
  return async () => {
    fonts.remove()
    removeMigrated()
    await postgres.stop()
  }
}

/** Each is looked for, and fetched where it is not there, before the next: some come in one package. */
function findPrograms() {
  const programs = {
    postgres: findPostgres(),
    chromium: findLightChromium(),
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
