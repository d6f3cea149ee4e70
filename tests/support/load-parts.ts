import type { Page } from 'playwright-core'
import { BuildManifest } from '#server/http/static/assets.ts'

/**
 * Lazy parts of the dashboard (their source files below `src/admin`) are in the page, with all that they import: from
 * here on it needs no server for them. Their requests tell less, since a part is asked for before the files that it
 * imports are known.
 */
export async function loadParts(page: Page, ...sources: string[]): Promise<void> {
  const manifest = new BuildManifest('dist/client')
  for (const source of sources) {
    const { file } = manifest.entry(`src/admin/${source}`)
    // Told as text: the runner rewrites an import that it can read.
    await page.evaluate(`import('${file}').then(() => {})`)
  }
}
