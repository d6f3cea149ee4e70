import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DocumentAssets } from '#landing/document.tsx'
import type * as RenderBundle from '#landing/render.tsx'
import type { BuildManifest } from '../http/build-manifest.ts'

export type LandingRenderer = typeof RenderBundle

/** The page's React code, bundled by the build: Node strips types but does not read JSX. */
export async function loadRenderBundle(distDirectory: string): Promise<LandingRenderer> {
  return await import(pathToFileURL(resolve(distDirectory, 'server/landing.js')).href)
}

export function readDocumentAssets(distDirectory: string, manifest: BuildManifest): DocumentAssets {
  return {
    css: readFileSync(join(distDirectory, 'client', manifest.entry('src/landing/landing.css').file), 'utf8'),
    bootScript: manifest.entry('src/landing/boot/boot.ts').file,
  }
}
