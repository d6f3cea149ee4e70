import * as z from 'zod/mini'
import { type ConversionLabels, isConversionLabels } from '#contract/conversions.ts'
import { isWithinCodeLimit, mayBeIsolated, type PixelType, type RunsInProposal } from '#contract/pixel.ts'
import { pixelTypeSchema, tagCategorySchema } from '#contract/pixel-schema.ts'
import { TAG_REFUSED, type TagPreview } from '#contract/tag-status.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/errors.ts'
import { marksOfPixel, recognisePaste, vendorById } from '../vendors/marks.ts'
import {
  type CompiledTag,
  decodeTag,
  hostsOfSources,
  NO_NAMED_SOURCES,
  type TagSource,
  withoutOwnHosts,
} from './compile/compiled-tag.ts'
import type { TagCompiler } from './compile/compiler.ts'
import { WARNINGS } from './compile/warnings.ts'
import { accountsOf } from './health/overview.ts'
import { listPixelHosts } from './hosts/permissions.ts'
import {
  describeSends,
  describeUnknown,
  labelFields,
  listTriggers,
  type PreparedTag,
} from './serve/prepare-tag.ts'

/** How long the form waits for warnings while somebody types. */
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

/** What the code of a form would become if it were saved now: its vendor, and what the form shows while one types. */
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

/** Another active pixel with one of these accounts, in its field or its code. */
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

/** Code that a save would refuse is a warning here, because typing is not finished. */
async function compileForm(compiler: TagCompiler, source: TagSource): Promise<CompiledTag> {
  try {
    return decodeTag(await compiler.compile(source, { withinMs: WAIT_MS })) ?? NOTHING
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== TAG_REFUSED) throw error
    return { ...NOTHING, warnings: [{ code: error.code, message: error.message }] }
  }
}

/** Suggests where a tag should run, from the catalogue and its code. */
export function proposeRunsIn(
  type: PixelType,
  { steps, vendors }: Pick<CompiledTag, 'steps' | 'vendors'>,
): RunsInProposal | null {
  if (!mayBeIsolated(type) || steps.length === 0) return null
  const known = vendors.flatMap(({ id }) => vendorById(id) ?? [])
  for (const { name, isolated } of known) {
    if (typeof isolated === 'object') return page(`${name} ${isolated.needs}.`)
    if (isolated === undefined) return page(`Não sabemos se ${name} funciona isolado da página.`)
  }
  const asked = findPageAccess(steps.flatMap((step) => (step.kind === 'own' ? [step.body] : [])))
  if (asked !== null) return page(`Este código ${asked}.`)
  const [first] = known
  return {
    runs_in: 'isolated',
    reason:
      first === undefined
        ? 'Este código não precisa da página. Depois de salvar, clique em "Testar agora" para ver se ele funciona isolado.'
        : `${first.name} mede visitas e conversões sem precisar da página.`,
  }
}

const page = (reason: string): RunsInProposal => ({ runs_in: 'page', reason })

/**
 * What code does to the page that it could not do from outside, as in "Este código …". Linear: no nested quantifiers.
 */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:querySelector(?:All)?|getElementById|getElementsBy(?:ClassName|Name)|elementFromPoint|MutationObserver|document\.(?:forms|links|images|all))\b/,
    'lê ou muda elementos da página',
  ],
  [
    /\b(?:innerHTML|outerHTML|insertAdjacentHTML|attachShadow|adoptedStyleSheets|innerText)\b|\bcreateElement\(\s*['"`](?:div|span|iframe|style|link|button|form|input|a|section|dialog)['"`]/,
    'mostra elementos na página',
  ],
  [
    /\baddEventListener\(\s*['"`](?:click|submit|input|change|key\w{1,8}|mouse\w{1,8}|pointer\w{1,8}|touch\w{1,8}|scroll|focus\w{0,3}|blur)['"`]|\.on(?:click|submit|scroll|keydown|input)\s{0,3}=/,
    'acompanha cliques e digitação na página',
  ],
  [
    /\blocation(?:\.href)?\s{0,3}=(?!=)|\blocation\.(?:assign|replace|reload)\b|\bwindow\.open\b/,
    'muda o endereço da página ou abre janelas',
  ],
  [
    /\b(?:window|self)\.(?:top|parent)\b|\btop\s{0,3}[!=]==?\s{0,3}(?:self|window)\b/,
    'verifica se está rodando direto na página',
  ],
]

/**
 * The first such use in these scripts; null if there is none. A word in a comment counts too: it is only a suggestion.
 */
function findPageAccess(scripts: readonly string[]): string | null {
  return SIGNS.find(([sign]) => scripts.some((script) => sign.test(script)))?.[1] ?? null
}
