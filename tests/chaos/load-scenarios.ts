import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Scenario } from './scenario.ts'

/** Every scenario, by file name. */
export async function loadScenarios(): Promise<[string, Scenario][]> {
  const folder = join(import.meta.dirname, 'scenarios')
  const files = globSync('*.ts', { cwd: folder }).sort()
  return Promise.all(
    files.map(async (file): Promise<[string, Scenario]> => {
      const [scenario] = Object.values((await import(join(folder, file))) as Record<string, Scenario>)
      if (typeof scenario?.run !== 'function') throw new Error(`${file} exports no scenario`)
      return [basename(file, '.ts'), scenario]
    }),
  )
}
