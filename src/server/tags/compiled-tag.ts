import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { PixelType } from '#contract/pixel.ts'

/**
 * Raised with each change of what the compiler makes of a snippet; `compile-corpus.test.ts` says when that is. What an
 * older one made is served until this one has made it anew, what a newer one made is left alone.
 */
export const COMPILER_VERSION = 1

/** What a tag is made of, and all that the compiler looks at. */
export interface TagSource {
  type: PixelType
  pixel_id: string | null
  code: string
}

/** Tells whether a stored result belongs to the code beside it. */
export function hashSource({ type, pixel_id, code }: TagSource): string {
  return createHash('sha256')
    .update(JSON.stringify([type, pixel_id, code]))
    .digest('base64url')
}

const attributesSchema = z.record(z.string(), z.string())
const stepSchema = z.discriminatedUnion('kind', [
  /** Code that is still text: its address is the hash of that text. */
  z.object({ kind: z.literal('own'), body: z.string(), attributes: attributesSchema }),
  z.object({ kind: z.literal('vendor'), src: z.url(), attributes: attributesSchema, wait: z.boolean() }),
  z.object({ kind: z.literal('image'), src: z.url() }),
])
const hostsSchema = z.array(z.string())
const sourcesSchema = z.object({
  script: hostsSchema,
  connect: hostsSchema,
  image: hostsSchema,
  frame: hostsSchema,
})
const bodySchema = z.object({
  steps: z.array(stepSchema),
  scripts: hostsSchema,
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
})

export type CompiledStep = z.infer<typeof stepSchema>
export type NamedSources = z.infer<typeof sourcesSchema>

export interface CompiledTag extends z.infer<typeof bodySchema> {
  /** Public hosts that the code names, by what it may do there, beyond those of its type. */
  sources: NamedSources
}

/** As the database keeps it: the sources apart, because the policy is counted without reading any code. */
export interface EncodedTag {
  sources: string
  body: string
  /** How many hosts it adds to the policy. */
  added_hosts: number
}

export function encodeTag({ sources, ...body }: CompiledTag): EncodedTag {
  return {
    sources: JSON.stringify(sources),
    body: JSON.stringify(body),
    added_hosts: hostsOfSources(sources).length,
  }
}

/** null when it is not what this version can read: a result of another version, or another hand's. */
export function decodeTag({ sources, body }: Pick<EncodedTag, 'sources' | 'body'>): CompiledTag | null {
  const named = decodeSources(sources)
  const parsed = bodySchema.safeParse(parseJson(body))
  return named === null || !parsed.success ? null : { sources: named, ...parsed.data }
}

export function decodeSources(sources: string): NamedSources | null {
  return sourcesSchema.safeParse(parseJson(sources)).data ?? null
}

/** Every host that the code names beyond those of its type. */
export function hostsOfSources(sources: NamedSources): string[] {
  return [...new Set(Object.values(sources).flat())].sort()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
