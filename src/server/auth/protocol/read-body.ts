import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError } from '#server/http/app-error.ts'
import { METADATA_BYTES } from '#server/http/limits.ts'

export const METADATA_TOO_LARGE = `Metadata cannot be larger than ${METADATA_BYTES} bytes`

export function fitsMetadata(metadata: object): boolean {
  return Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES
}

/** A text of the protocol: absent and null are the same as empty. */
export const text = z.pipe(
  z.nullish(z.string()),
  z.transform((value) => value ?? ''),
)
export const flag = z.pipe(
  z.nullish(z.boolean()),
  z.transform((value) => value ?? false),
)
/** Metadata, small enough to be stored. */
export const document = z.nullish(
  z.record(z.string(), z.unknown()).check(z.refine(fitsMetadata, METADATA_TOO_LARGE)),
)

/** Unknown keys are ignored, as the protocol does; a value of the wrong type is bad JSON to it. */
export function readBody<T extends z.ZodMiniType>(schema: T, request: FastifyRequest): z.output<T> {
  const result = z.safeParse(schema, request.body ?? {})
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (issue?.code === 'custom') throw new AppError(400, 'validation_failed', issue.message)
  const path = issue?.path.join('.') || 'the body'
  throw new AppError(400, 'bad_json', `Could not parse request body as JSON: ${path} has the wrong type`)
}

export function readQuery(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

/** A lone surrogate is legal in JSON text and in JavaScript, and an error to PostgreSQL. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\\ufffd')
}
