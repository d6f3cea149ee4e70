import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REGISTER_QR_PATH } from '#contract/site.ts'
import { parseConfig } from '#server/config.ts'
import { BuildManifest } from '#server/http/static/assets.ts'
import { compressText } from '#server/http/static/responses.ts'
import { loadRenderBundle, readDocumentAssets } from '#server/landing/build-output.ts'
import { readSiteContent } from '#server/landing/site-content.ts'
import { PAGE_BUDGETS } from './bundles.ts'

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

/** Hashes in file names change with each build, and some compress better: here every file has a fixed one of its own. */
function withFixedNames(text: string): string {
  return text.replace(/(?<=\/assets\/[\w-]+-)[\w-]{8}(?=\.)/g, (_hash, at: number) =>
    createHash('sha256')
      .update(text.slice(text.lastIndexOf('/', at), at))
      .digest('base64url')
      .slice(0, 8),
  )
}

test('the page with its style is within its budget', async () => {
  expect(await brotliBytes(withFixedNames(html))).toBeLessThanOrEqual(PAGE_BUDGETS.html)
})

test('everything up to the hero is within its budget', async () => {
  const heroEnd = html.indexOf('<ul class="wrap three')
  expect(heroEnd).toBeGreaterThan(0)
  expect(await brotliBytes(withFixedNames(html.slice(0, heroEnd)))).toBeLessThanOrEqual(PAGE_BUDGETS.upToHero)
})

test('with full content the page is at most 15 KB, and up to the hero 6.5 KB', async () => {
  const content = readSiteContent('src/server/demo/site.json')
  const full = renderer.renderLanding({ ...site, content }, assets)
  expect(await brotliBytes(full)).toBeLessThanOrEqual(15_000)
  expect(await brotliBytes(full.slice(0, full.indexOf('<ul class="wrap three')))).toBeLessThanOrEqual(6_500)
})

test('the script that runs at load is one file, within its budget', () => {
  const boot = manifest.entry('src/landing/browser/boot/boot.ts')
  expect(boot.imports).toEqual([])
  expect(assetBytes(boot.file)).toBeLessThanOrEqual(PAGE_BUDGETS.boot)
})

test('all scripts of the page together are within their budget', () => {
  const runner = manifest.entry('src/landing/browser/tags/run-tags.ts')
  const scripts = new Set([assets.bootScript ?? '', ...assets.prefetch, runner.file, ...runner.imports])
  const total = [...scripts].reduce((sum, path) => sum + assetBytes(path), 0)
  expect(total).toBeLessThanOrEqual(PAGE_BUDGETS.scripts)
})

test('the page loads nothing of the dashboard, not even later', () => {
  const chunks = JSON.parse(readFileSync('dist/client/.vite/manifest.json', 'utf8')) as Record<
    string,
    { imports?: string[]; dynamicImports?: string[] }
  >
  const loaded = new Set<string>()
  const load = (name: string) => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const next of [...(chunks[name]?.imports ?? []), ...(chunks[name]?.dynamicImports ?? [])]) load(next)
  }
  load('src/landing/browser/boot/boot.ts')
  expect(loaded).toContain('src/landing/browser/tags/watch-cost.ts')
  const ofPage = /^(src\/landing\/|_(shared|rolldown-runtime)-)/
  expect([...loaded].filter((name) => !ofPage.test(name))).toEqual([])
})

test('the code of test visits is one lazy file that visitors never load', () => {
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
  // The boot script names it once, behind the fragment.
  const name = tested.file.split('/').at(-1) ?? ''
  const text = readFileSync(join('dist/client', boot.file), 'utf8')
  expect(text.split(name)).toHaveLength(2)
  expect(text.slice(0, text.indexOf(name))).toMatch(/location\.hash\.startsWith\(.#teste=.\)\?[^;?:]*$/)
  for (const path of visited)
    if (path !== boot.file) expect(readFileSync(join('dist/client', path), 'utf8')).not.toContain(name)
})

test('the drawings that are loaded late are at most 3 KB together', async () => {
  const sizes = await Promise.all(renderer.renderLazyDrawings().map(([, svg]) => brotliBytes(svg)))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3_000)
})

test('only the inlined style can block rendering', () => {
  const head = html.slice(0, html.indexOf('<body'))
  expect(head).not.toContain('rel="stylesheet"')
  expect(head).not.toMatch(/<script[^>]* src/)
  expect(head).not.toContain('rel="preload"')
})

test('every property that styles or scripts read is defined in the page', () => {
  const scripts = [assets.bootScript ?? '', ...assets.prefetch].map((path) =>
    readFileSync(join('dist/client', path), 'utf8'),
  )
  const defined = new Set(Array.from(assets.css.matchAll(/(--[\w-]+):/g), ([, name]) => name))
  const read = [assets.css, assets.laterCss, ...scripts].flatMap((text) =>
    Array.from(text.matchAll(/var\((--[\w-]+)\)/g), ([, name]) => name),
  )
  // Those of the drawing are set where they are read.
  expect([...new Set(read)].filter((name) => !defined.has(name))).toEqual([])
})

test('every asset in the page was built, or is drawn at the start', () => {
  const built = new Set(readdirSync('dist/client/assets').map((name) => `/assets/${name}`))
  built.add(REGISTER_QR_PATH)
  for (const [path] of renderer.renderLazyDrawings()) built.add(path)
  for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g)) expect(built).toContain(path)
})
