import { sql } from 'kysely'
import { formatCount } from '#contract/format-count.ts'
import type { PixelRunsIn, PixelType } from '#contract/pixel.ts'
import { POLICY_FULL } from '#contract/tag-status.ts'
import type { Db } from '#server/db/database.ts'
import { AppError } from '#server/http/errors.ts'
import { SOURCE_KEYS, type TagSources } from '#server/http/security/content-security-policy.ts'
import { decodeNeeds, NO_NAMED_SOURCES, type TagNeeds } from '../compile/compiled-tag.ts'
import { mergeSources, sourcesOfPixel, sourcesOfVendors } from './sources.ts'

/** A common limit of servers, proxies and load balancers for response headers. */
export const HEAD_LIMIT_BYTES = 8_192
/** nginx's default buffer holds 4 KB, and proxies add lines. */
export const HEAD_WARN_BYTES = 3_584
const NAMED_IN_REFUSAL = 3

export interface PagePolicy {
  sources: TagSources
  trustsContainer: boolean
  hasFrames: boolean
}

/** Size of the page's headers with these sources in its policy. */
export type MeasureHead = (policy: PagePolicy) => number

/** What one tag asks of the page's headers. An isolated tag has a frame with headers of its own. */
interface PolicyTag {
  tag: { type: PixelType }
  frame: { headBytes: number } | null
  sources: TagSources
}

export interface BudgetOptions {
  ownHosts: ReadonlySet<string>
  measureHead: MeasureHead
  /** Size for the document of one isolated tag. */
  measureFrame?: (sources: TagSources) => number
}

const fits = (bytes: number) => bytes < HEAD_LIMIT_BYTES

function policyOf(tags: readonly PolicyTag[]): PagePolicy {
  // Tags that add nothing share one object.
  const sources = new Set<TagSources>()
  let hasFrames = false
  for (const { frame, sources: own } of tags) {
    if (frame === null) sources.add(own)
    else hasFrames = true
  }
  return {
    sources: mergeSources([...sources]),
    hasFrames,
    trustsContainer: tags.some(({ tag }) => tag.type === 'google_tag_manager'),
  }
}

/**
 * A save that does not fit is refused. Rows from another version or from SQL are served as far as they fit, without
 * those that add most hosts: there is always a page with most tags on it.
 */
export function chooseFitting<Tag extends PolicyTag & { addedHosts: number }>(
  all: readonly Tag[],
  measureHead: MeasureHead,
): { running: readonly Tag[]; policy: PagePolicy } {
  const tags = all.filter(({ frame }) => frame === null || fits(frame.headBytes))
  const policyOfAll = policyOf(tags)
  if (fits(measureHead(policyOfAll))) return { running: tags, policy: policyOfAll }
  const spent = ({ frame, addedHosts }: Tag) => (frame === null ? addedHosts : 0)
  const modestFirst = [...tags].sort((a, b) => spent(a) - spent(b))
  let fitting = 0
  let tooMany = modestFirst.length
  while (tooMany - fitting > 1) {
    const middle = (fitting + tooMany) >> 1
    if (fits(measureHead(policyOf(modestFirst.slice(0, middle))))) fitting = middle
    else tooMany = middle
  }
  const kept = new Set(modestFirst.slice(0, fitting))
  const running = tags.filter((tag) => kept.has(tag))
  return { running, policy: policyOf(running) }
}

interface Spender extends TagNeeds {
  id: string
  name: string
  type: PixelType
  allowed_hosts: readonly string[]
  runs_in: PixelRunsIn
}

/**
 * Refuses a change that would make the page's headers too large. Called in the change's transaction after the lock that
 * every tag change takes, so that two changes are checked one after the other.
 */
export async function assertPolicyFits(trx: Db, options: BudgetOptions): Promise<void> {
  const { bytes, spenders } = await readPolicySize(trx, options)
  if (fits(bytes)) return
  const named = spenders
    .slice(0, NAMED_IN_REFUSAL)
    .map(({ name, hosts }) => `"${name.slice(0, 60)}" (${formatCount(hosts, 'domínio', 'domínios')})`)
  throw new AppError(
    400,
    POLICY_FULL,
    `Não foi possível salvar: as tags ativas usariam domínios demais (${toKilobytes(bytes)} de ${toKilobytes(HEAD_LIMIT_BYTES)}). As que mais usam: ${named.join('; ')}. Desative uma delas ou remova domínios do código.`,
  )
}

/** As if nothing were paused, because paused tags come back. The pixel with most hosts is first. */
export async function readPolicySize(
  db: Db,
  { ownHosts, measureHead, measureFrame = () => 0 }: BudgetOptions,
): Promise<{ bytes: number; spenders: { id: string; name: string; hosts: number }[] }> {
  const types = await db
    .selectFrom('tracking_pixels')
    .select(['type', 'runs_in'])
    .distinct()
    .where('is_active', '=', true)
    // What the server sends adds nothing to the page.
    .where('delivery', '<>', 'server')
    .execute()
  const spenders = await readSpenders(db)
  const ofTypes = types.map((row) => ({ ...row, allowed_hosts: [], ...NOTHING }))
  const tags = [...ofTypes, ...spenders].map((pixel) => {
    const sources = sourcesOfPixel(pixel, ownHosts)
    const frame = pixel.runs_in === 'page' ? null : { headBytes: measureFrame(sources) }
    return { tag: pixel, frame, sources }
  })
  return {
    bytes: Math.max(measureHead(policyOf(tags)), ...tags.map(({ frame }) => frame?.headBytes ?? 0)),
    spenders: spenders
      .map(({ id, name, ...pixel }) => ({ id, name, hosts: countAdded(pixel) }))
      .sort((a, b) => b.hosts - a.hosts),
  }
}

const NOTHING: TagNeeds = { sources: NO_NAMED_SOURCES, vendors: [] }

/** Only pixels that add hosts: of ten thousand ordinary pixels none is read. */
async function readSpenders(db: Db): Promise<Spender[]> {
  const rows = await db
    .selectFrom('tracking_pixels as pixel')
    .leftJoin('compiled_tags as compiled', 'compiled.pixel_id', 'pixel.id')
    .select([
      'pixel.id',
      'pixel.name',
      'pixel.type',
      'pixel.allowed_hosts',
      'pixel.runs_in',
      'compiled.sources',
    ])
    .where('pixel.is_active', '=', true)
    .where('pixel.delivery', '<>', 'server')
    .where((eb) =>
      eb.or([
        eb('compiled.added_hosts', '>', 0),
        eb(sql<string>`cast(pixel.allowed_hosts as text)`, '<>', '[]'),
      ]),
    )
    .execute()
  return rows.map(({ sources, ...row }) => ({
    ...row,
    ...((sources === null ? null : decodeNeeds(sources)) ?? NOTHING),
  }))
}

/** Hosts beyond those of its type: of its code, of other vendors in it, and permitted ones. */
function countAdded({
  sources,
  vendors,
  allowed_hosts,
}: Pick<Spender, keyof TagNeeds | 'allowed_hosts'>): number {
  const ofVendors = sourcesOfVendors(vendors)
  return new Set([
    ...Object.values(sources).flat(),
    ...SOURCE_KEYS.flatMap((key) => ofVendors[key]),
    ...allowed_hosts,
  ]).size
}

function toKilobytes(bytes: number): string {
  return `${(bytes / 1024).toLocaleString('pt-BR', { maximumFractionDigits: 1 })} KB`
}
