import { expect, vi } from 'vitest'
import { CONSENT_TEXT_VERSION } from '#contract/consent-choice.ts'
import { hostilePageTag, victimTag } from './hostile-page-tag.ts'
import { ANON_KEY_PLACEHOLDER, ASSET_PLACEHOLDER, hostileTag } from './hostile-tag.ts'
import { insertPixel } from './insert-pixel.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** The cookie of a visitor who accepted everything. */
export const CONSENT = `${CONSENT_TEXT_VERSION}.dm.dm.0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e`

export interface HostileSite extends TestApp {
  /** A tag of somebody else, in each place. */
  victims: { page: string; isolated: string }
}

/** A site with active hostile tags, in the page and isolated, and a tag of somebody else in each place. */
export async function startHostileSite(env: Record<string, string> = {}): Promise<HostileSite> {
  const app = await startTestApp({ listen: true, env })
  const [asset = ''] = /\/assets\/boot-[\w-]+\.js/.exec(await (await fetch(app.url)).text()) ?? []
  const text = hostileTag
    .toString()
    .replaceAll(ANON_KEY_PLACEHOLDER, await readAnonKey(app.url))
    .replaceAll(ASSET_PLACEHOLDER, asset)
  const { db } = app.database
  const code = `<script>(${text})()</script><script>(${hostilePageTag})()</script>`
  const add = (runs_in: 'page' | 'isolated', pasted: string) =>
    insertPixel(db, { type: 'custom', code: pasted, runs_in })
  await add('page', code)
  await add('isolated', code)
  const victim = `<script>(${victimTag})()</script>`
  const victims = { page: await add('page', victim), isolated: await add('isolated', victim) }
  await vi.waitFor(async () => expect(await countTags(app.url)).toBe(4), { timeout: 30_000, interval: 50 })
  return { ...app, victims }
}

/** Of the set that the page names. */
async function countTags(url: string): Promise<number> {
  const [, version = ''] = /data-tags="([^"]+)"/.exec(await (await fetch(url)).text()) ?? []
  const manifest = await (await fetch(`${url}/tags/${version}.js`)).text()
  return manifest.split('"category"').length - 1
}

export async function readAnonKey(url: string): Promise<string> {
  const html = await (await fetch(`${url}/admin`)).text()
  return /"anonKey":"([^"]+)"/.exec(html)?.[1] ?? ''
}
