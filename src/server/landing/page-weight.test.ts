import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseConfig } from '../config.ts'
import { BuildManifest } from '../http/build-manifest.ts'
import { compressText } from '../http/prepared-response.ts'
import { loadRenderBundle, readDocumentAssets } from './render-bundle.ts'

const { site } = parseConfig({})
const renderer = await loadRenderBundle('dist')
const manifest = new BuildManifest('dist/client')
const assets = readDocumentAssets('dist', manifest)
const html = renderer.renderLanding(site, assets)

async function brotliBytes(text: string): Promise<number> {
  return (await compressText(Buffer.from(text))).br?.length ?? Number.POSITIVE_INFINITY
}

function assetBytes(path: string): number {
  return readFileSync(join('dist/client', `${path}.br`)).length
}

test('the page with its style is at most 11.5 KB', async () => {
  expect(await brotliBytes(html)).toBeLessThanOrEqual(11_500)
})

test('what is needed up to the hero is at most 6 KB', async () => {
  const heroEnd = html.indexOf('<ul class="wrap three')
  expect(heroEnd).toBeGreaterThan(0)
  expect(await brotliBytes(html.slice(0, heroEnd))).toBeLessThanOrEqual(6_000)
})

test('the script that runs at load is one file of at most 5 KB', () => {
  const boot = manifest.entry('src/landing/browser/boot/boot.ts')
  expect(boot.imports).toEqual([])
  expect(assetBytes(boot.file)).toBeLessThanOrEqual(5_000)
})

test('all scripts of the page together are at most 69 KB', () => {
  const runner = manifest.entry('src/landing/browser/tags/run-tags.ts')
  const scripts = new Set([assets.bootScript ?? '', ...assets.prefetch, runner.file, ...runner.imports])
  const total = [...scripts].reduce((sum, path) => sum + assetBytes(path), 0)
  expect(total).toBeLessThanOrEqual(69_000)
})

test('nothing but the inlined style could block rendering', () => {
  const head = html.slice(0, html.indexOf('<body'))
  expect(head).not.toContain('rel="stylesheet"')
  expect(head).not.toMatch(/<script[^>]* src/)
  expect(head).not.toContain('rel="preload"')
})

test('whatever a style of the page or of its scripts reads is defined in the page', () => {
  const scripts = [assets.bootScript ?? '', ...assets.prefetch].map((path) =>
    readFileSync(join('dist/client', path), 'utf8'),
  )
  const defined = new Set(Array.from(assets.css.matchAll(/(--[\w-]+):/g), ([, name]) => name))
  const read = [assets.css, assets.bootCss, ...scripts].flatMap((text) =>
    Array.from(text.matchAll(/var\((--[\w-]+)\)/g), ([, name]) => name),
  )
  // The drawing's own are set where they are read.
  expect([...new Set(read)].filter((name) => !defined.has(name))).toEqual([])
})

test('every asset that the page names was built', () => {
  const built = new Set(readdirSync('dist/client/assets').map((name) => `/assets/${name}`))
  for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g)) expect(built).toContain(path)
})
