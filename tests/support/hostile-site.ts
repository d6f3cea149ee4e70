import { ANON_KEY_PLACEHOLDER, hostileTag } from './hostile-tag.ts'
import { insertPixel } from './insert-pixel.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** The cookie of a visitor who agreed to everything. */
export const CONSENT = '1.dm.dm.0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e'

/** A site on which the hostile tag is active. */
export async function startHostileSite(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await startTestApp({ listen: true, env })
  const text = hostileTag.toString().replaceAll(ANON_KEY_PLACEHOLDER, await readAnonKey(app.url))
  await insertPixel(app.database.db, { type: 'custom', code: `<script>(${text})()</script>` })
  return app
}

export async function readAnonKey(url: string): Promise<string> {
  const html = await (await fetch(`${url}/admin`)).text()
  return /"anonKey":"([^"]+)"/.exec(html)?.[1] ?? ''
}
