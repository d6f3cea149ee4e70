import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Headers } from '../security/headers.ts'
import { type PreparedResponse, prepareResponse } from './responses.ts'

interface ManifestChunk {
  file: string
  css?: string[]
  imports?: string[]
}

interface BuiltEntry {
  /** Public path of the script or style. */
  file: string
  css: string[]
  /** Chunks that it imports statically. */
  imports: string[]
}

/** Names of the built files of a source file, from the bundler's manifest. */
export class BuildManifest {
  readonly #chunks: Record<string, ManifestChunk>

  constructor(clientDirectory: string) {
    this.#chunks = JSON.parse(readFileSync(join(clientDirectory, '.vite/manifest.json'), 'utf8'))
  }

  entry(source: string): BuiltEntry {
    const chunk = this.#chunks[source]
    if (chunk === undefined) throw new Error(`the build has no entry ${source}`)
    const imports = (chunk.imports ?? []).map((name) => this.entry(name))
    // Chunks import each other: each is listed once.
    return {
      file: `/${chunk.file}`,
      css: [
        ...new Set([...(chunk.css ?? []).map((name) => `/${name}`), ...imports.flatMap((part) => part.css)]),
      ],
      imports: [...new Set(imports.flatMap((part) => [part.file, ...part.imports]))],
    }
  }
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Built files by public path. Their names contain a hash, so browsers may cache them forever. */
export function loadStaticAssets(directory: string, headers: Headers): Map<string, PreparedResponse> {
  const assets = new Map<string, PreparedResponse>()
  for (const name of readdirSync(directory)) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const file = join(directory, name)
    const encodings = { br: readIfThere(`${file}.br`), gzip: readIfThere(`${file}.gz`) }
    assets.set(
      `/assets/${name}`,
      prepareResponse(readFileSync(file), encodings, {
        ...headers,
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
      }),
    )
  }
  return assets
}

function readIfThere(file: string): Buffer | null {
  return existsSync(file) ? readFileSync(file) : null
}

/** The fast path serves existing files; unknown ones are no page. */
export function registerMissingAssets(app: FastifyInstance): void {
  app.get('/assets/*', (_request, reply) => reply.callNotFound())
}
