/** Entry of the thread that compiles snippets: a snippet that breaks the thread does not break the process. */
import { parentPort } from 'node:worker_threads'
import { compileTag } from './compile-tag.ts'
import { decodeTag, type EncodedTag, encodeTag, type TagSource } from './compiled-tag.ts'
import { TooManyElementsError } from './read-snippet.ts'
import { recogniseSource } from './recognise-source.ts'

/** Ten times the largest result of a snippet that names no hosts. */
const MAX_RESULT_LENGTH = 1_000_000

export type CompileAnswer =
  | { ok: true; tag: EncodedTag }
  | { ok: false; reason: 'too_complex' | 'too_large' | 'failed'; detail: string }

parentPort?.on('message', (source: TagSource) => parentPort?.postMessage(compile(source)))
parentPort?.postMessage('ready')

function compile(source: TagSource): CompileAnswer {
  try {
    const recognition = recogniseSource(source)
    const tag = encodeTag(compileTag(source, recognition), recognition)
    if (tag.body.length + tag.sources.length > MAX_RESULT_LENGTH) {
      return { ok: false, reason: 'too_large', detail: '' }
    }
    // A result that cannot be read again would be recompiled forever.
    return decodeTag(tag) === null ? { ok: false, reason: 'failed', detail: 'unreadable' } : { ok: true, tag }
  } catch (error) {
    const reason = error instanceof TooManyElementsError ? 'too_complex' : 'failed'
    return { ok: false, reason, detail: error instanceof Error ? `${error.name}: ${error.message}` : '' }
  }
}
