import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface ManifestChunk {
  file: string
  css?: string[]
  imports?: string[]
}

export interface BuiltEntry {
  /** Public path of the script or style itself. */
  file: string
  css: string[]
  /** Chunks that it imports at once. */
  imports: string[]
}

/** Names of the built files for one source file, as the bundler wrote them down. */
export class BuildManifest {
  readonly #chunks: Record<string, ManifestChunk>

  constructor(clientDirectory: string) {
    this.#chunks = JSON.parse(readFileSync(join(clientDirectory, '.vite/manifest.json'), 'utf8'))
  }

  entry(source: string): BuiltEntry {
    const chunk = this.#chunks[source]
    if (chunk === undefined) throw new Error(`the build has no entry ${source}`)
    const imports = (chunk.imports ?? []).map((name) => this.entry(name))
    // Chunks import one another: each is named once.
    return {
      file: `/${chunk.file}`,
      css: [
        ...new Set([...(chunk.css ?? []).map((name) => `/${name}`), ...imports.flatMap((part) => part.css)]),
      ],
      imports: [...new Set(imports.flatMap((part) => [part.file, ...part.imports]))],
    }
  }
}
