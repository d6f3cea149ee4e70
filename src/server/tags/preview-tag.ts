import * as z from 'zod/mini'
import {
  DEFAULT_CATEGORY,
  PIXEL_CODE_MAX_BYTES,
  pixelTypeSchema,
  tagCategorySchema,
} from '#contract/pixel.ts'
import type { TagPreview } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import { compileTag } from './compile-tag.ts'
import { WARNINGS } from './warnings.ts'

export const previewSchema = z.object({
  id: z.optional(z.uuid()),
  type: pixelTypeSchema,
  pixel_id: z.nullable(z.string().check(z.maxLength(64))),
  code: z.string().check(z.maxLength(PIXEL_CODE_MAX_BYTES)),
  consent_category: z.optional(tagCategorySchema),
})

/** What the code of a form would become if it were saved now: the warnings that the modal shows while one types. */
export async function previewTag(
  db: Db,
  ownHosts: ReadonlySet<string>,
  form: z.infer<typeof previewSchema>,
): Promise<TagPreview> {
  const pixelId = form.pixel_id?.trim() || null
  const { steps, hosts, warnings } = compileTag(
    { ...form, pixel_id: pixelId, consent_category: form.consent_category ?? DEFAULT_CATEGORY[form.type] },
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
    hosts,
    steps: steps.length,
  }
}
