import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/**
 * Lazy parts of the dashboard, by the names of their chunks (`vite.config.ts`), are in the page with all that they
 * import: from here on it needs no server for them. Their requests tell less, since a part is asked for before the files
 * that it imports are known.
 */
export async function loadParts(page: Page, ...names: string[]): Promise<void> {
  const manifest = JSON.parse(readFileSync('dist/client/.vite/manifest.json', 'utf8'))
  const chunks = Object.values<{ name?: string; file: string }>(manifest)
  for (const name of names) {
    const chunk = chunks.find((each) => each.name === name)
    if (chunk === undefined) throw new Error(`the build has no chunk ${name}`)
    // Passed as text: the runner rewrites an import that it can read.
    await page.evaluate(`import('/${chunk.file}').then(() => {})`)
  }
}
