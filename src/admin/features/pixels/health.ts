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

/** States computed from visits of the last 24 hours. */
const JUDGED = new Set<Health>(['broken', 'partial', 'unconfirmed', 'working'])

const NO_BREAK = '\u00a0'

/** What visits reported of a pixel, with its base: "Rodou normalmente em 205 de 301 visitas. Última: há 2 min". Null when none did. */
export function describeObservations(
  { ran, blocked, failed, last_ran_at }: TagStatus,
  health: Health,
  now: number,
): string | null {
  // Non-breaking spaces.
  const ago = last_ran_at === null ? null : formatAgo(last_ran_at, now).replaceAll(' ', NO_BREAK)
  if (!JUDGED.has(health)) return ago === null ? null : `Última execução: ${ago}`
  const visits = ran + blocked + failed
  if (visits === 0) return null
  // A tag that our policy kept from sending has run as well: this counts visits in which nothing stopped it.
  const start = ran < visits ? `Rodou normalmente em ${formatNumber(ran)} de` : 'Rodou em'
  const counted = `${start} ${formatCount(visits, 'visita', 'visitas')}`
  return ran > 0 && ago !== null ? `${counted}. Última:${NO_BREAK}${ago}` : counted
}

/** Common error messages of browser engines for pasted snippets. */
const EXPLANATIONS: readonly [RegExp, (name: string) => string][] = [
  [/(?<![\w$.])([\w$.]+) is not defined/, (name) => `o código usa "${name}", que não existe na página.`],
  [/Can't find variable: ([\w$.]+)/, (name) => `o código usa "${name}", que não existe na página.`],
  [/(?<![\w$.])([\w$.]+) is not a function/, (name) => `o código chama "${name}", que não é uma função.`],
  [
    /(?:Cannot (?:read|set) propert|(?:undefined|null) is not an object|(?:undefined|null) has no propert|is (?:undefined|null)$)/,
    () => 'o código procura algo que não existe na página.',
  ],
  [
    /SyntaxError|Unexpected |Invalid or unexpected/,
    () => 'o código tem um erro de escrita. Copie de novo da plataforma.',
  ],
  [
    /unsafe-eval|EvalError|TrustedScript/,
    () => 'o código tenta criar outro código a partir de texto, e o site não permite.',
  ],
  [/SecurityError|Permission denied/, () => 'o navegador bloqueou uma ação do código.'],
  [
    /NetworkError|Failed to fetch|Load failed/,
    () => 'o código não conseguiu acessar o servidor da plataforma.',
  ],
  [/too much recursion|Maximum call stack/, () => 'o código entrou em repetição sem fim.'],
  [/^Script error/, () => 'um arquivo de outro domínio deu erro, e o navegador não informou qual.'],
]

/** The explanation of a script's error, in Portuguese. */
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
 * Notes about a pixel, most important first. Blocked hosts appear as reasons and as groups by vendor: the groups
 * replace the reasons, so that one click permits a vendor's hosts.
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

/** One group: what the policy stopped of one vendor, or one unknown host. */
export interface BlockedLine {
  key: string
  message: string
  /** What one click permits. */
  set: BlockedHost[]
  /** Permitted one by one by their full name. */
  singles: BlockedHost[]
  /** All its rows, for "Ignorar". */
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

/** A host that several tags tried is decided once. */
function oneEach(rows: readonly BlockedHost[]): BlockedHost[] {
  return [...new Map(rows.map((row) => [row.host, row])).values()]
}

/** The API's values plus two: working but unconfirmed, and paused by the breaker. */
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
  if (health === 'tripped') return 'Pausado automaticamente'
  return healthLabel({ health, confirmed: true })
}

/** Undefined if unknown: before the first response, and between a switch and the next one. */
export function healthOf(
  { is_active }: Pick<Pixel, 'is_active'>,
  status: PixelHealth | undefined,
): Health | undefined {
  if (!is_active) return 'off'
  if (status === undefined || status.health === 'off') return undefined
  // While everything is paused, no pixel has its own reason.
  if (status.health === 'paused' && status.reasons.length > 0) return 'tripped'
  return status.health === 'working' && !status.confirmed ? 'unconfirmed' : status.health
}

/** True if somebody must act. */
export function isProblem(health: Health | undefined): boolean {
  return health === 'broken' || health === 'partial' || health === 'tripped'
}

/** Codes of `SendingStop`, which a pixel's health uses too. */
const STOP_CODES: ReadonlySet<string> = new Set([
  'token_refused',
  'account_blocked',
  'not_permitted',
  'token_missing',
  'endpoint_gone',
])

/** True for a reason that is fixed in the sending part of the form. */
export function isAboutSending(code: string): boolean {
  return STOP_CODES.has(code)
}
