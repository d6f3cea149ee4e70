import * as z from 'zod/mini'
import { type ConversionLabels, isConversionLabels } from '#contract/conversions.ts'
import { isWithinCodeLimit } from '#contract/pixel.ts'
import { pixelTypeSchema, tagCategorySchema } from '#contract/pixel-schema.ts'
import { TAG_REFUSED, type TagPreview } from '#contract/tag-status.ts'
import { marksOfPixel } from '#server/vendors/marks.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/app-error.ts'
import {
  type CompiledTag,
  decodeTag,
  hostsOfSources,
  NO_NAMED_SOURCES,
  type TagSource,
} from './compiled-tag.ts'
import { describeSends, describeUnknown, labelFields, listTriggers } from './describe-conversions.ts'
import { accountsOf } from './find-doubles.ts'
import { listPixelHosts } from './hosts/list-pixel-hosts.ts'
import type { PreparedTag } from './prepare-tag.ts'
import { proposeRunsIn } from './propose-runs-in.ts'
import { recognisePaste } from './recognise-paste.ts'
import type { TagCompiler } from './tag-compiler.ts'
import { WARNINGS } from './warnings.ts'
import { withoutOwnHosts } from './without-own-hosts.ts'

/** Whoever types waits no longer than this for warnings. */
const WAIT_MS = 5_000

export const previewSchema = z.object({
  id: z.optional(z.uuid()),
  type: pixelTypeSchema,
  pixel_id: z.nullable(z.string().check(z.maxLength(64))),
  code: z.string().check(z.refine(isWithinCodeLimit)),
  consent_category: z.optional(tagCategorySchema),
  conversion_labels: z.optional(z.custom<ConversionLabels>(isConversionLabels)),
})

interface PreviewDeps {
  db: Db
  tags: { prepared: ReadonlyMap<string, PreparedTag> }
  compiler: TagCompiler
  ownHosts: ReadonlySet<string>
}

/** What the code of a form would become if it were saved now: whose it is, and what the modal shows while one types. */
export async function previewTag(
  { db, tags, compiler, ownHosts }: PreviewDeps,
  form: z.infer<typeof previewSchema>,
): Promise<TagPreview> {
  const pixel_id = form.pixel_id?.trim() || null
  const { type, code, conversion_labels: labels = {} } = form
  const compiled = withoutOwnHosts(await compileForm(compiler, { type, pixel_id, code }), ownHosts)
  const { kind, steps, sources, vendors, warnings } = compiled
  const marks = marksOfPixel(type, vendors)
  const double = await findDouble(db, tags.prepared, form.id, accountsOf({ type, pixel_id }, vendors))
  return {
    warnings: double === null ? warnings : [...warnings, WARNINGS.sameId(double.account, double.name)],
    hosts: hostsOfSources(sources),
    steps: steps.length,
    kind,
    recognised: recognisePaste(code, vendors),
    allowed: listPixelHosts({ type, allowed_hosts: [], sources, vendors }, ownHosts, []),
    sends: describeSends(compiled, marks, labels),
    labels: labelFields(marks, code),
    triggers: listTriggers(marks),
    about: vendors.length > 0 ? null : describeUnknown(compiled),
    runs_in: proposeRunsIn(type, compiled),
  }
}

/** Another active pixel that holds one of these accounts, in its field or in its code. */
async function findDouble(
  db: Db,
  prepared: ReadonlyMap<string, PreparedTag>,
  self: string | undefined,
  accounts: ReadonlySet<string>,
): Promise<{ account: string; name: string } | null> {
  if (accounts.size === 0) return null
  for (const [id, { tag, compiled }] of prepared) {
    if (id === self) continue
    const theirs = accountsOf({ type: tag.type, pixel_id: tag.vendorId }, compiled.vendors)
    const same = [...accounts].find((account) => theirs.has(account))
    if (same === undefined) continue
    const row = await db.selectFrom('tracking_pixels').select('name').where('id', '=', id).executeTakeFirst()
    if (row !== undefined) return { account: same.slice(same.indexOf(' ') + 1), name: row.name }
  }
  return null
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
