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

/** The results and the vendors of these pixels, inside the transaction that knows the rows to be those that were compiled. */
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

/** One statement for each vendor: the rows of one write may be hundreds. */
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

/** Which of these pixels have a result, of which code, by which compiler. */
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

/** True when nothing is left to do for that code: this compiler has done it, or a newer one. */
export function isCurrent(mark: CompiledMark | undefined, sourceHash: string): boolean {
  return mark !== undefined && mark.source_hash === sourceHash && mark.compiler_version >= COMPILER_VERSION
}

/**
 * What a compiled tag is on this site: nothing of it may reach this site itself. Judged whenever a tag is used and not
 * when it is compiled, because the site's names can change and the result stays.
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
 * Raised with each change of what the compiler makes of a snippet; `compile-corpus.test.ts` says when that is. What an
 * older one made is served until this one has made it anew, what a newer one made is left alone.
 */
export const COMPILER_VERSION = 3

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

/** A vendor of the catalogue that the code was recognised as, and the account that it names. */
const vendorMarkSchema = z.object({ id: z.string(), account: z.nullable(z.string()) })

const needsSchema = z.extend(sourcesSchema, { vendors: z._default(z.array(vendorMarkSchema), []) })

const headItemSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('meta'), name: z.string(), content: z.string() }),
  z.object({ kind: z.literal('json_ld'), json: z.string() }),
])

const bodySchema = z.object({
  kind: z._default(z.enum(TAG_KINDS), 'script'),
  steps: z.array(stepSchema),
  /** What stands in the page's own HTML, without consent: nothing of it can run or reach anybody. */
  head: z._default(z.array(headItemSchema), []),
  scripts: hostsSchema,
  vendors: z._default(z.array(vendorMarkSchema), []),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
})

export type CompiledStep = z.infer<typeof stepSchema>

export type NamedSources = z.infer<typeof sourcesSchema>

export type HeadItem = z.infer<typeof headItemSchema>

export interface CompiledTag extends z.infer<typeof bodySchema> {
  /** Public hosts that the code names, by what it may do there, beyond those of its vendors. */
  sources: NamedSources
}

/** What a tag needs of the policy beyond the hosts of its type. */
export interface TagNeeds {
  sources: NamedSources
  vendors: readonly VendorMark[]
}

export const NO_NAMED_SOURCES: NamedSources = { script: [], connect: [], image: [], frame: [] }

/** As the database keeps it: what the policy needs apart, because it is counted without reading any code. */
export interface EncodedTag {
  sources: string
  body: string
  /** How many hosts it adds to the policy. */
  added_hosts: number
  /** Kept with the pixel itself. */
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

/** null when it is not what this version can read: a result of another version, or another hand's. */
export function decodeTag({ sources, body }: Pick<EncodedTag, 'sources' | 'body'>): CompiledTag | null {
  const needs = decodeNeeds(sources)
  const parsed = bodySchema.safeParse(parseJson(body))
  return needs === null || !parsed.success ? null : { sources: needs.sources, ...parsed.data }
}

export function decodeNeeds(text: string): TagNeeds | null {
  const { vendors, ...sources } = needsSchema.safeParse(parseJson(text)).data ?? { vendors: null }
  return vendors === null || !('script' in sources) ? null : { sources, vendors }
}

/** Every host that the code names beyond those of its vendors. */
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
