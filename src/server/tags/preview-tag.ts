import * as z from 'zod/mini'
import { PIXEL_CODE_MAX_BYTES, pixelTypeSchema, tagCategorySchema } from '#contract/pixel.ts'
import { TAG_REFUSED, type TagPreview } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import {
  type CompiledTag,
  decodeTag,
  hostsOfSources,
  NO_NAMED_SOURCES,
  type TagSource,
} from './compiled-tag.ts'
import type { TagCompiler } from './tag-compiler.ts'
import { WARNINGS } from './warnings.ts'
import { withoutOwnHosts } from './without-own-hosts.ts'

/** Whoever types waits no longer than this for warnings. */
const WAIT_MS = 5_000

export const previewSchema = z.object({
  id: z.optional(z.uuid()),
  type: pixelTypeSchema,
  pixel_id: z.nullable(z.string().check(z.maxLength(64))),
  code: z.string().check(z.maxLength(PIXEL_CODE_MAX_BYTES)),
  consent_category: z.optional(tagCategorySchema),
})

/** What the code of a form would become if it were saved now: the warnings that the modal shows while one types. */
export async function previewTag(
  { db, compiler, ownHosts }: { db: Db; compiler: TagCompiler; ownHosts: ReadonlySet<string> },
  form: z.infer<typeof previewSchema>,
): Promise<TagPreview> {
  const pixelId = form.pixel_id?.trim() || null
  const { steps, sources, warnings } = withoutOwnHosts(
    await compileForm(compiler, { type: form.type, pixel_id: pixelId, code: form.code }),
    ownHosts,
  )
  const double =
    pixelId === null
      ? undefined
      : await db
          .selectFrom('tracking_pixels')
          .select('name')
          .where('type', '=', form.type)
          .where('pixel_id', '=', pixelId)
          .where('is_active', '=', true)
          .$if(form.id !== undefined, (query) => query.where('id', '<>', form.id ?? ''))
          .executeTakeFirst()
  return {
    warnings: double === undefined ? warnings : [...warnings, WARNINGS.sameId(pixelId ?? '', double.name)],
    hosts: hostsOfSources(sources),
    steps: steps.length,
  }
}

const NOTHING: CompiledTag = {
  kind: 'nothing',
  steps: [],
  head: [],
  scripts: [],
  vendors: [],
  sources: NO_NAMED_SOURCES,
  warnings: [],
}

/** A snippet that a save would refuse is a warning here: whoever types has not finished yet. */
async function compileForm(compiler: TagCompiler, source: TagSource): Promise<CompiledTag> {
  try {
    return decodeTag(await compiler.compile(source, { withinMs: WAIT_MS })) ?? NOTHING
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== TAG_REFUSED) throw error
    return { ...NOTHING, warnings: [{ code: error.code, message: error.message }] }
  }
}
