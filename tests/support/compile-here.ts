import { compileTag } from '#server/tags/compile/compile-tag.ts'
import {
  type CompiledTag,
  type EncodedTag,
  encodeTag,
  type TagSource,
} from '#server/tags/compile/compiled-tag.ts'
import { recogniseSource } from '#server/tags/compile/recognise-source.ts'

/** Runs here what the product runs in a thread. */
export function compileHere(source: TagSource): CompiledTag {
  return compileTag(source, recogniseSource(source))
}

export function encodeHere(source: TagSource): EncodedTag {
  return encodeTag(compileHere(source), recogniseSource(source))
}
