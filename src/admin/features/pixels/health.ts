import { formatAgo, formatNumber } from '#admin/lib/format.ts'
import { formatCount } from '#contract/format-count.ts'
import { describeRemoval } from '#contract/isolated-frame.ts'
import type { Pixel } from '#contract/pixel.ts'
import {
  type BlockedHost,
  type HealthReason,
  healthLabel,
  type PixelHealth,
  type TagOverview,
  type TagStatus,
} from '#contract/tag-status.ts'

/** States that are judged from the visits of the last 24 hours. */
const JUDGED = new Set<Health>(['broken', 'partial', 'unconfirmed', 'working'])

const NO_BREAK = '\u00a0'

/** What visits reported of a pixel, with its base: "Rodou sem impedimento em 205 de 301 visitas, há 2 min". Null when none did. */
export function describeObservations(
  { ran, blocked, failed, last_ran_at }: TagStatus,
  health: Health,
  now: number,
): string | null {
  // Not broken between its words, where the line is.
  const ago = last_ran_at === null ? null : formatAgo(last_ran_at, now).replaceAll(' ', NO_BREAK)
  if (!JUDGED.has(health)) return ago === null ? null : `Rodou pela última vez ${ago}`
  const visits = ran + blocked + failed
  if (visits === 0) return null
  // A tag that our policy kept from sending has run as well: what is counted is that nothing stopped it.
  const start = ran < visits ? `Rodou sem impedimento em ${formatNumber(ran)} de` : 'Rodou em'
  const counted = `${start} ${formatCount(visits, 'visita', 'visitas')}`
  return ran > 0 && ago !== null ? `${counted}, ${ago}` : counted
}

/** How the engines of browsers word what goes wrong most often in a pasted snippet. */
const EXPLANATIONS: readonly [RegExp, (name: string) => string][] = [
  [/(?<![\w$.])([\w$.]+) is not defined/, (name) => `o código usa "${name}", que não existe na página.`],
  [/Can't find variable: ([\w$.]+)/, (name) => `o código usa "${name}", que não existe na página.`],
  [/(?<![\w$.])([\w$.]+) is not a function/, (name) => `o código chama "${name}", que não é uma função.`],
  [
    /(?:Cannot (?:read|set) propert|(?:undefined|null) is not an object|(?:undefined|null) has no propert|is (?:undefined|null)$)/,
    () => 'o código procura na página algo que não está lá.',
  ],
  [
    /SyntaxError|Unexpected |Invalid or unexpected/,
    () => 'o código está escrito de um jeito que o navegador não entende.',
  ],
  [
    /unsafe-eval|EvalError|TrustedScript/,
    () => 'o código monta outro código a partir de texto, e a página não deixa.',
  ],
  [/SecurityError|Permission denied/, () => 'o navegador não deixou o código fazer o que tentou.'],
  [/NetworkError|Failed to fetch|Load failed/, () => 'o código não conseguiu falar com o servidor dele.'],
  [/too much recursion|Maximum call stack/, () => 'o código chama a si mesmo sem parar.'],
  [/^Script error/, () => 'um script de outro endereço deu erro e não disse qual.'],
]

/** The first thing that a person needs to know of a script's error, in Portuguese. */
export function explainScriptError(original: string): string {
  const removal = describeRemoval(original)
  if (removal !== undefined) return `${removal}.`
  for (const [pattern, explain] of EXPLANATIONS) {
    const found = pattern.exec(original)
    if (found !== null) return explain(found[1] ?? '')
  }
  return 'o código deu um erro.'
}

export type PixelNote =
  | { kind: 'reason'; key: string; reason: HealthReason }
  | { kind: 'blocked'; key: string; line: BlockedLine }

/**
 * What is to be said about a pixel, the most important first. Hosts that the policy stopped come as a reason each and in
 * lines by vendor: the lines take the reasons' place, so that one click permits a vendor's set.
 */
export function listNotes(reasons: readonly HealthReason[], lines: readonly BlockedLine[]): PixelNote[] {
  const inLines = new Set(lines.flatMap(({ hosts }) => hosts))
  const isInLine = ({ code, host }: HealthReason) =>
    code === 'stopped_by_policy' && host !== undefined && inLines.has(host)
  const blocked = lines.map((line): PixelNote => ({ kind: 'blocked', key: line.key, line }))
  const first = reasons.findIndex(isInLine)
  const before = first === -1 ? reasons : reasons.slice(0, first)
  const after = first === -1 ? [] : reasons.slice(first).filter((reason) => !isInLine(reason))
  return [...before.map(toNote), ...blocked, ...after.map(toNote)]
}

function toNote(reason: HealthReason): PixelNote {
  return { kind: 'reason', key: `${reason.code} ${reason.message}`, reason }
}

/** One line: what the policy kept one vendor, or one unknown host, from. */
export interface BlockedLine {
  key: string
  message: string
  /** What one click permits. */
  set: BlockedHost[]
  /** What is permitted by its full name, each for itself. */
  singles: BlockedHost[]
  /** All rows of it, for "Ignorar". */
  ids: string[]
  hosts: string[]
  pixelIds: string[]
  count: number
  lastSeenAt: string
}

export function listBlockedLines({
  blocked_hosts: blocked,
  blocked_groups: groups,
}: Pick<TagOverview, 'blocked_hosts' | 'blocked_groups'>): BlockedLine[] {
  const byId = new Map(blocked.map((host) => [host.id, host]))
  return groups.map(({ ids, hosts, permit_ids, pixel_ids, message }) => {
    const rows = ids.flatMap((id) => byId.get(id) ?? [])
    const set = rows.filter(({ id }) => permit_ids.includes(id))
    return {
      key: ids.join(),
      message,
      set,
      singles: oneEach(rows.filter((row) => !set.includes(row))),
      ids,
      hosts,
      pixelIds: pixel_ids,
      count: rows.reduce((sum, { count }) => sum + count, 0),
      lastSeenAt:
        rows
          .map(({ last_seen_at }) => last_seen_at)
          .sort()
          .at(-1) ?? '',
    }
  })
}

/** A host that several tags tried is decided about once. */
function oneEach(rows: readonly BlockedHost[]): BlockedHost[] {
  return [...new Map(rows.map((row) => [row.host, row])).values()]
}

/** As the wire has it, with two more: what works and nobody could confirm, and what paused itself while nothing else is. */
export type Health = PixelHealth['health'] | 'unconfirmed' | 'tripped'

/** The order of "Problemas primeiro". */
export const HEALTHS: readonly Health[] = [
  'broken',
  'tripped',
  'partial',
  'waiting',
  'paused',
  'unconfirmed',
  'working',
  'off',
]

export function labelOfHealth(health: Health): string {
  if (health === 'unconfirmed') return healthLabel({ health: 'working', confirmed: false })
  if (health === 'tripped') return `${healthLabel({ health: 'paused', confirmed: true })} pelo disjuntor`
  return healthLabel({ health, confirmed: true })
}

/** Undefined while nobody knows: before the first answer, and between a switch and the next one. */
export function healthOf(
  { is_active }: Pick<Pixel, 'is_active'>,
  status: PixelHealth | undefined,
): Health | undefined {
  if (!is_active) return 'off'
  if (status === undefined || status.health === 'off') return undefined
  // Where everything is paused no pixel has a reason of its own.
  if (status.health === 'paused' && status.reasons.length > 0) return 'tripped'
  return status.health === 'working' && !status.confirmed ? 'unconfirmed' : status.health
}

/** What somebody must see to. */
export function isProblem(health: Health | undefined): boolean {
  return health === 'broken' || health === 'partial' || health === 'tripped'
}

/** Codes of `SendingStop`, under which a pixel's health tells of it too. */
const STOP_CODES: ReadonlySet<string> = new Set([
  'token_refused',
  'account_blocked',
  'not_permitted',
  'token_missing',
  'endpoint_gone',
])

/** True for a reason that is fixed where the form asks how the pixel is sent. */
export function isAboutSending(code: string): boolean {
  return STOP_CODES.has(code)
}
