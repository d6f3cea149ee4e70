import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FRAME_TAG_ID, type FrameTag } from '#contract/isolated-frame.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { Config } from '#server/config.ts'
import { framePolicy, type TagSources } from '#server/http/security/content-security-policy.ts'
import { frameHeaders, type Headers } from '#server/http/security/headers.ts'
import { ownOrigins } from '#server/http/security/own-origins.ts'
import { escapeJson, headBytes } from '#server/http/static/responses.ts'
import type { CompiledStep } from '../compile/compiled-tag.ts'

/** The document in which one isolated tag runs. */
export interface IsolatedFrame {
  /** Hash of everything that is served for it, including the policy. */
  hash: string
  html: string
  headers: Headers
  headBytes: number
}

export type RenderFrame = (
  tag: Omit<ManifestTag, 'steps'> & { steps: CompiledStep[] },
  sources: TagSources,
) => IsolatedFrame

/** The whole document is one response: an opaque origin cannot load files from us. */
export function createFrameRenderer(
  script: string,
  { siteUrl, hsts }: Pick<Config, 'siteUrl' | 'hsts'>,
): { render: RenderFrame; measure: (sources: TagSources) => number } {
  const origins = ownOrigins(siteUrl)
  const headersFor = (sources: TagSources): Headers => ({
    ...frameHeaders(framePolicy({ sources, origins }), hsts),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  return {
    render: ({ leaves: _leaves, room: _room, ...tag }, sources) => {
      const headers = headersFor(sources)
      const html = `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title></title><script type="application/json" id="${FRAME_TAG_ID}">${escapeJson(JSON.stringify(tag satisfies FrameTag))}</script><script>${script}</script></head><body></body></html>`
      return { hash: hashOf(html, JSON.stringify(headers)), html, headers, headBytes: headBytes(headers) }
    },
    measure: (sources) => headBytes(headersFor(sources)),
  }
}

function hashOf(...parts: string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('base64url').slice(0, 16)
}

/** Runs in every isolated frame before its tag; built as one script. */
export function readFrameScript(distDirectory: string): string {
  const script = readFileSync(join(distDirectory, 'server/frame.js'), 'utf8').trim()
  // Such a text would close the element around it.
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of isolated frames cannot be inlined')
  return script
}
