import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { PixelType } from '#contract/pixel.ts'
import { TAG_KINDS } from '#contract/tag-status.ts'
import type { Db } from '#server/db/database.ts'
import type { VendorMark } from '#server/vendors/marks.ts'
import type { Recognition } from './recognise-source.ts'
import { WARNINGS } from './warnings.ts'

export interface NewCompilation {
  pixel_id: string
  source_hash: string
  tag: EncodedTag
}

const ROWS_PER_STATEMENT = 50

/** Stores results and vendors, in the transaction that knows that the rows are the compiled ones. */
export async function storeCompiled(trx: Db, compilations: readonly NewCompilation[]): Promise<void> {
  for (let at = 0; at < compilations.length; at += ROWS_PER_STATEMENT) {
    await trx
      .insertInto('compiled_tags')
      .values(
        compilations
          .slice(at, at + ROWS_PER_STATEMENT)
          .map(({ pixel_id, source_hash, tag: { vendor: _vendor, ...tag } }) => ({
            pixel_id,
            source_hash,
            compiler_version: COMPILER_VERSION,
            ...tag,
          })),
      )
      .onConflict((conflict) =>
        conflict.column('pixel_id').doUpdateSet((eb) => ({
          source_hash: eb.ref('excluded.source_hash'),
          compiler_version: eb.ref('excluded.compiler_version'),
          added_hosts: eb.ref('excluded.added_hosts'),
          sources: eb.ref('excluded.sources'),
          body: eb.ref('excluded.body'),
        })),
      )
      .execute()
  }
  await storeVendors(trx, compilations)
}

/** One statement per vendor, because a write may have hundreds of rows. */
async function storeVendors(trx: Db, compilations: readonly NewCompilation[]): Promise<void> {
  for (const [vendor, some] of Map.groupBy(compilations, ({ tag }) => tag.vendor)) {
    for (let at = 0; at < some.length; at += ROWS_PER_STATEMENT) {
      await trx
        .updateTable('tracking_pixels')
        .set({ vendor })
        .where(
          'id',
          'in',
          some.slice(at, at + ROWS_PER_STATEMENT).map(({ pixel_id }) => pixel_id),
        )
        .where('vendor', 'is distinct from', vendor)
        .execute()
    }
  }
}

interface CompiledMark {
  source_hash: string
  compiler_version: number
}

/** Which of these pixels have a stored result, of which code and which compiler. */
export async function readCompiledMarks(db: Db, ids: readonly string[]): Promise<Map<string, CompiledMark>> {
  const marks = new Map<string, CompiledMark>()
  for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
    const rows = await db
      .selectFrom('compiled_tags')
      .select(['pixel_id', 'source_hash', 'compiler_version'])
      .where('pixel_id', 'in', ids.slice(at, at + ROWS_PER_STATEMENT))
      .execute()
    for (const row of rows) marks.set(row.pixel_id, row)
  }
  return marks
}

/** True if this or a newer compiler has compiled that code. */
export function isCurrent(mark: CompiledMark | undefined, sourceHash: string): boolean {
  return mark !== undefined && mark.source_hash === sourceHash && mark.compiler_version >= COMPILER_VERSION
}

/**
 * Removes this site's own hosts from a compiled tag. Done when a tag is used, because the site's names can change after
 * it was compiled.
 */
export function withoutOwnHosts(tag: CompiledTag, ownHosts: ReadonlySet<string>): CompiledTag {
  const isForeign = (host: string) => !ownHosts.has(host)
  const refused = tag.steps.flatMap((step) =>
    step.kind !== 'own' && !isForeign(new URL(step.src).hostname) ? [step.src] : [],
  )
  const foreign = (use: keyof NamedSources) => tag.sources[use].filter(isForeign)
  return {
    ...tag,
    steps: tag.steps.filter((step) => step.kind === 'own' || !refused.includes(step.src)),
    scripts: tag.scripts.filter(isForeign),
    sources: {
      script: foreign('script'),
      connect: foreign('connect'),
      image: foreign('image'),
      frame: foreign('frame'),
    },
    warnings: [...tag.warnings, ...refused.map((address) => WARNINGS.unusableAddress(address))],
  }
}

/**
 * Raised with each change of the compiler's results; `compile-corpus.full.test.ts` fails otherwise. Results of an older
 * version are served until they are recompiled, results of a newer one are left alone.
 */
export const COMPILER_VERSION = 4

/** Everything that the compiler reads of a pixel. */
export interface TagSource {
  type: PixelType
  pixel_id: string | null
  code: string
}

/** Identifies the code that a stored result belongs to. */
export function hashSource({ type, pixel_id, code }: TagSource): string {
  return createHash('sha256')
    .update(JSON.stringify([type, pixel_id, code]))
    .digest('base64url')
}

const attributesSchema = z.record(z.string(), z.string())

const stepSchema = z.discriminatedUnion('kind', [
  /** Inline code: its address is the hash of the text. */
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

/** A vendor that the code was recognised as, with the account in it. */
const vendorMarkSchema = z.object({ id: z.string(), account: z.nullable(z.string()) })

const needsSchema = z.extend(sourcesSchema, { vendors: z._default(z.array(vendorMarkSchema), []) })

const headItemSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('meta'), name: z.string(), content: z.string() }),
  z.object({ kind: z.literal('json_ld'), json: z.string() }),
])

const bodySchema = z.object({
  kind: z._default(z.enum(TAG_KINDS), 'script'),
  steps: z.array(stepSchema),
  /** Items for the page's own HTML, without consent: none of them can run or send anything. */
  head: z._default(z.array(headItemSchema), []),
  scripts: hostsSchema,
  vendors: z._default(z.array(vendorMarkSchema), []),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
})

export type CompiledStep = z.infer<typeof stepSchema>

export type NamedSources = z.infer<typeof sourcesSchema>

export type HeadItem = z.infer<typeof headItemSchema>

export interface CompiledTag extends z.infer<typeof bodySchema> {
  /** Public hosts in the code, by use, beyond those of its vendors. */
  sources: NamedSources
}

/** What a tag needs of the policy beyond the hosts of its type. */
export interface TagNeeds {
  sources: NamedSources
  vendors: readonly VendorMark[]
}

export const NO_NAMED_SOURCES: NamedSources = { script: [], connect: [], image: [], frame: [] }

/** The stored form. What the policy needs is separate, so that it can be counted without reading code. */
export interface EncodedTag {
  sources: string
  body: string
  /** Number of hosts that it adds to the policy. */
  added_hosts: number
  /** Stored with the pixel itself. */
  vendor: string | null
}

export function encodeTag(
  { sources, ...body }: CompiledTag,
  { vendor, beyondType, addedHosts }: Pick<Recognition, 'vendor' | 'beyondType' | 'addedHosts'>,
): EncodedTag {
  const needs: z.input<typeof needsSchema> = { ...sources, vendors: beyondType }
  return {
    sources: JSON.stringify(needs),
    body: JSON.stringify(body),
    added_hosts: new Set([...hostsOfSources(sources), ...addedHosts]).size,
    vendor,
  }
}

/** Null if this version cannot read it: the result is from another version, or was written by other means. */
export function decodeTag({ sources, body }: Pick<EncodedTag, 'sources' | 'body'>): CompiledTag | null {
  const needs = decodeNeeds(sources)
  const parsed = bodySchema.safeParse(parseJson(body))
  return needs === null || !parsed.success ? null : { sources: needs.sources, ...parsed.data }
}

export function decodeNeeds(text: string): TagNeeds | null {
  const { vendors, ...sources } = needsSchema.safeParse(parseJson(text)).data ?? { vendors: null }
  return vendors === null || !('script' in sources) ? null : { sources, vendors }
}

/** Every host in the code beyond those of its vendors. */
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
