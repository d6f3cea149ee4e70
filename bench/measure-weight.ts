import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../src/server/config.ts'
import { BuildManifest } from '../src/server/http/static/assets.ts'
import { compressText } from '../src/server/http/static/responses.ts'
import { loadRenderBundle, readDocumentAssets } from '../src/server/landing/build-output.ts'

export interface PageWeight {
  html: number
  upToHero: number
  boot: number
  scripts: number
  font: number
}

/** Bytes on the wire (brotli) of the page with the demo brand. */
export async function measureWeight(): Promise<PageWeight> {
  const manifest = new BuildManifest('dist/client')
  const assets = readDocumentAssets('dist', manifest)
  const page = (await loadRenderBundle('dist')).renderLanding(parseConfig({}).site, assets)
  const size = (path: string) => readFileSync(join('dist/client', path)).length
  const runner = manifest.entry('src/landing/browser/tags/run-tags.ts')
  const scripts = new Set([assets.bootScript, ...assets.prefetch, runner.file, ...runner.imports])
  const boot = manifest.entry('src/landing/browser/boot/boot.ts')
  const bootBytes = [boot.file, ...boot.imports].reduce((sum, path) => sum + size(`${path}.br`), 0)
  return {
    html: await brotliBytes(page),
    upToHero: await brotliBytes(page.slice(0, page.indexOf('<ul class="wrap three'))),
    boot: bootBytes,
    scripts: [...scripts].reduce((sum, path) => sum + size(`${path}.br`), 0),
    font: size(assets.font),
  }
}

async function brotliBytes(text: string): Promise<number> {
  return (await compressText(Buffer.from(text))).br?.length ?? Number.NaN
}
