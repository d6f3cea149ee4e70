import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseConfig } from '../config.ts'
import { BuildManifest } from '../http/static/assets.ts'
import { compressText } from '../http/static/responses.ts'
import { loadRenderBundle, readDocumentAssets } from './build-output.ts'

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

test('the page with its style is at most 11 KB', async () => {
  expect(await brotliBytes(html)).toBeLessThanOrEqual(11_000)
})

test('what is needed up to the hero is at most 6 KB', async () => {
  const heroEnd = html.indexOf('<ul class="wrap three')
  expect(heroEnd).toBeGreaterThan(0)
  // The hash in the script's name is chance: one compresses to twenty bytes more than another.
  const hero = html.slice(0, heroEnd).replace(/(?<=\/boot-)[\w-]{8}(?=\.js)/, 'BkcvY916')
  expect(await brotliBytes(hero)).toBeLessThanOrEqual(6_000)
})

test('the script that runs at load is one file of at most 3.6 KB', () => {
  const boot = manifest.entry('src/landing/browser/boot/boot.ts')
  expect(boot.imports).toEqual([])
  expect(assetBytes(boot.file)).toBeLessThanOrEqual(3_600)
})

test('all scripts of the page together are at most 67.9 KB', () => {
  const runner = manifest.entry('src/landing/browser/tags/run-tags.ts')
  const scripts = new Set([assets.bootScript ?? '', ...assets.prefetch, runner.file, ...runner.imports])
  const total = [...scripts].reduce((sum, path) => sum + assetBytes(path), 0)
  expect(total).toBeLessThanOrEqual(67_900)
})

test("what a test of a pixel loads is in no visitor's path: one lazy file that nothing else needs or names", () => {
  const tested = manifest.entry('src/landing/browser/test-visit/test-visit.ts')
  const boot = manifest.entry('src/landing/browser/boot/boot.ts')
  expect(tested.imports).toEqual([boot.file])
  const visited = [assets.bootScript ?? '', ...assets.prefetch].concat(
    ['src/landing/browser/tags/run-tags.ts', 'src/landing/browser/islands/islands.tsx'].flatMap((entry) => {
      const { file, imports } = manifest.entry(entry)
      return [file, ...imports]
    }),
  )
  expect(visited).not.toContain(tested.file)
  expect(html).not.toContain(tested.file)
  // The boot script asks for it in one place, behind the fragment.
  const name = tested.file.split('/').at(-1) ?? ''
  const text = readFileSync(join('dist/client', boot.file), 'utf8')
  expect(text.split(name)).toHaveLength(2)
  expect(text.slice(0, text.indexOf(name))).toMatch(/location\.hash\.startsWith\(.#teste=.\)\?[^;?:]*$/)
  for (const path of visited)
    if (path !== boot.file) expect(readFileSync(join('dist/client', path), 'utf8')).not.toContain(name)
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
