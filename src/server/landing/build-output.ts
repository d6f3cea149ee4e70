import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DocumentAssets } from '#landing/pages/document.tsx'
import type * as RenderBundle from '#landing/pages/render.tsx'
import type { BuildManifest } from '../http/static/assets.ts'

export type LandingRenderer = typeof RenderBundle

/** Loaded on a first touch, with its imports. */
const ISLANDS = 'src/landing/browser/islands/islands.tsx'

/** The page's React code, bundled by the build: Node strips types but does not read JSX. */
export async function loadRenderBundle(distDirectory: string): Promise<LandingRenderer> {
  return await import(pathToFileURL(resolve(distDirectory, 'server/landing.js')).href)
}

export function readDocumentAssets(distDirectory: string, manifest: BuildManifest): DocumentAssets {
  const client = join(distDirectory, 'client')
  const read = (file: string) => readFileSync(join(client, file), 'utf8').trim()
  const bootScript = manifest.entry('src/landing/browser/boot/boot.ts').file
  const islands = manifest.entry(ISLANDS)
  const prefetch = new Set([...islands.imports, islands.file])
  prefetch.delete(bootScript)
  const contentCss = read(manifest.entry('src/landing/styles/content.css').file)
  const laterCss = read(manifest.entry('src/landing/styles/later.css').file)
  // Scripts contain their own styles.
  const others = [laterCss, ...[bootScript, ...prefetch].map(read)].join()
  return {
    css: dropUnusedProperties(read(manifest.entry('src/landing/styles/landing-page.css').file), others),
    plainCss: dropUnusedProperties(
      read(manifest.entry('src/landing/styles/plain-pages.css').file),
      contentCss,
    ),
    laterCss,
    contentCss,
    bootScript,
    prefetch: [...prefetch],
    font: manifest.entry('src/design/fonts/sans.woff2').file,
    pictures: readPictures(client),
  }
}

/** Public paths of the pictures from the build. */
export interface Pictures {
  /** Requested by browsers themselves: an icon in the page would be fetched before the first frame. */
  icon: string
  touchIcon: string
  icon192: string
  icon512: string
  /** 1200 × 630, for shared links: the headline with and without the default brand's name. */
  share: string
  shareUnnamed: string
}

export function readPictures(clientDirectory: string): Pictures {
  return JSON.parse(readFileSync(join(clientDirectory, 'pictures.json'), 'utf8'))
}

/**
 * Removes custom properties that neither the style sheet nor `others`, which load later, use: tokens are shared, the
 * page's bytes are not.
 */
export function dropUnusedProperties(css: string, others = ''): string {
  const used = new Set(Array.from((css + others).matchAll(/var\((--[\w-]+)/g), ([, name]) => name))
  const trimmed = css.replace(/(?<![\w-])(--[\w-]+):[^;{}]*(?:;|(?=[{}])|$)/g, (declaration, name) =>
    used.has(name) ? declaration : '',
  )
  return trimmed === css ? css : dropUnusedProperties(trimmed, others)
}
