import { formatCount, formatPart } from '#contract/format-count.ts'
import { describeRemoval, FRAME_REMOVALS } from '#contract/isolated-frame.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { BlockedHost, HealthReason, PixelHealth, TagWarning } from '#contract/tag-status.ts'
import type { CopyEvidence } from '#server/conversions/outcomes.ts'
import { type Breaker, describeTrip } from './breaker.ts'
import type { TagEvidence } from './observations.ts'

export interface HealthInput {
  isActive: boolean
  isPaused: boolean
  /** True where it runs in a frame of its own. */
  isIsolated?: boolean
  breaker: Breaker | null
  /** Steps that run after consent, and items in the page's own HTML. */
  steps: number
  headItems: number
  refusal: string | null
  isLeftOut: boolean
  warnings: readonly TagWarning[]
  vendorName: string
  /** Where the vendor writes the account's ID into the address of its page view, that ID. */
  visibleId: string | null
  /** The catalogue says where its page view goes. */
  hasPageView: boolean
  /** Why its ID cannot be one of its vendor. */
  idFault: string | null
  evidence: TagEvidence
  lastError: string | null
  /** What our policy stopped of this pixel. */
  stopped: readonly BlockedHost[]
}

/** Fewer visits than this without the vendor are ad blockers and bad networks, as everywhere. */
const SHARE = 0.1

/** A slow network or a vendor that had nothing to say once prove nothing: so many visits must agree. */
const AGREEING_VISITS = 3

/** Of what stands in these, something does not do what its author expects. */
const BREAKING = new Set([
  'does_not_parse',
  'document_write',
  'eval',
  'not_https',
  'unusable_address',
  'hidden_container',
  'placeholder',
  'other_id',
  'universal_analytics',
])

const REMOVALS: ReadonlySet<string | null> = new Set(Object.values(FRAME_REMOVALS))

/** The table of docs/evidence.md. Whatever contradicts "Funcionando" is said; what nobody saw is not claimed. */
export function judgeHealth(input: HealthInput): PixelHealth {
  const judged = judge(input)
  if (!input.isIsolated || !mayMissPage(judged, input)) return judged
  return { ...judged, reasons: [...judged.reasons, HEALTH_WORDS.isolated(input.vendorName)] }
}

/** Isolation explains neither what a blocker, the network or our policy stopped, nor a tag that was removed for what it did. */
function mayMissPage({ health, reasons }: PixelHealth, { lastError }: HealthInput): boolean {
  if (health !== 'broken' && health !== 'partial') return false
  return reasons.some(
    ({ code }) => code === 'nothing_sent' || (code === 'script_error' && !REMOVALS.has(lastError)),
  )
}

function judge(input: HealthInput): PixelHealth {
  if (!input.isActive) return { health: 'off', confirmed: false, reasons: [] }
  const unable = whyNothingRuns(input)
  if (unable !== null) return { health: 'broken', confirmed: false, reasons: [unable] }
  if (input.breaker?.state === 'paused')
    return { health: 'paused', confirmed: false, reasons: [HEALTH_WORDS.tripped(input.breaker)] }
  if (input.isPaused && input.steps > 0) return { health: 'paused', confirmed: false, reasons: [] }
  if (input.idFault !== null)
    return { health: 'broken', confirmed: false, reasons: [HEALTH_WORDS.impossibleId(input.idFault)] }
  const faults = [...input.stopped.map(HEALTH_WORDS.stopped(input.vendorName)), ...faultsInCode(input)]
  if (input.steps === 0) {
    return faults.length > 0
      ? { health: 'partial', confirmed: false, reasons: faults }
      : { health: 'working', confirmed: true, reasons: [HEALTH_WORDS.inPage()] }
  }
  const all = sum(input.evidence.visits)
  if (all === 0) return { health: 'waiting', confirmed: false, reasons: faults }
  const warned = input.breaker === null ? [] : [HEALTH_WORDS.tripped(input.breaker)]
  const seen = [...warned, ...faults, ...faultsOfVisits(input, all)]
  // What our own policy stopped has a host and a button that mends it: faults, and nothing worse.
  if (input.stopped.length === 0 && !reachedVendor(input, all))
    return { health: 'broken', confirmed: false, reasons: seen }
  const sent = judgeHits(input)
  if (sent === 'never') {
    const reason = HEALTH_WORDS.nothingSent(input.vendorName, input.visibleId, input.evidence.hit.none ?? 0)
    return { health: 'broken', confirmed: false, reasons: [...seen, reason] }
  }
  if (sent === 'unseen')
    seen.push(HEALTH_WORDS.nothingSeen(input.vendorName, input.visibleId, sum(input.evidence.hit)))
  const confirmed = sent === 'confirmed'
  if (seen.length > 0) return { health: 'partial', confirmed, reasons: seen }
  return { health: 'working', confirmed, reasons: confirmed ? [] : [whyUnconfirmed(input)] }
}

/** Why nobody knows, and what would tell. */
function whyUnconfirmed({
  vendorName,
  visibleId,
  hasPageView,
  evidence: { hit },
}: HealthInput): HealthReason {
  if (!hasPageView) return HEALTH_WORDS.unknownVendor()
  if (sum(hit) === 0) return HEALTH_WORDS.leftEarly(vendorName)
  if (absentOf(hit) === sum(hit)) return HEALTH_WORDS.notSeen(vendorName, visibleId, sum(hit))
  return visibleId === null
    ? HEALTH_WORDS.showsNoId(vendorName)
    : HEALTH_WORDS.notConfirmed(vendorName, visibleId)
}

/** False only where visits prove that nothing got through: what a few visitors' own browsers stopped is no proof. */
function reachedVendor({ evidence: { visits, hit, hosts } }: HealthInput, all: number): boolean {
  if ((visits.ran ?? 0) > 0) return true
  const found = [hit, ...hosts.values()]
  if (found.some((counts) => (counts.answered ?? 0) + (counts.sent ?? 0) > 0)) return true
  // In Chromium a script that was blocked leaves the same trace as a request that arrived.
  const mayHave = (visits.failed ?? 0) > 0 ? found : [hit]
  if (mayHave.some((counts) => (counts.unknown ?? 0) > 0)) return true
  return visits.blocked === all && all < AGREEING_VISITS
}

function whyNothingRuns(input: HealthInput): HealthReason | null {
  if (input.refusal !== null) return HEALTH_WORDS.refused(input.refusal)
  if (input.isLeftOut) return HEALTH_WORDS.leftOut()
  return input.steps + input.headItems === 0 ? HEALTH_WORDS.nothingRuns(input.warnings) : null
}

function faultsInCode({ warnings }: HealthInput): HealthReason[] {
  return warnings.filter(({ code }) => BREAKING.has(code)).map(HEALTH_WORDS.warning)
}

const wordsOf = (error: string | null) => (error === null ? null : (describeRemoval(error) ?? error))

function faultsOfVisits(
  { evidence: { visits }, lastError, vendorName, stopped }: HealthInput,
  all: number,
): HealthReason[] {
  const share = (count = 0) => count > 0 && count / all >= SHARE
  return [
    ...(share(visits.blocked) ? [HEALTH_WORDS.blocked(vendorName, visits.blocked ?? 0, all)] : []),
    ...(share(visits.failed) ? [HEALTH_WORDS.failed(visits.failed ?? 0, all, wordsOf(lastError))] : []),
    // A report of the policy names the host; without one there is still the visit that says so.
    ...(share(visits.stopped) && stopped.length === 0
      ? [HEALTH_WORDS.stoppedScript(visits.stopped ?? 0, all)]
      : []),
  ]
}

function absentOf({ none = 0, unseen = 0 }: TagEvidence['hit']): number {
  return none + unseen
}

/**
 * `never`: visits agree that it ran, that nothing kept it from sending, and that nothing left. A script or a settings file
 * that was loaded proves no page view: only a request that carries the account's ID confirms one. `unseen`: as many agree
 * that nothing was seen, with browsers that may miss it.
 */
function judgeHits({ evidence: { hit, visits }, visibleId, stopped }: HealthInput): Sent {
  const hasSent = (hit.answered ?? 0) + (hit.sent ?? 0) > 0
  if (hasSent) return visibleId === null ? 'unconfirmed' : 'confirmed'
  const isHindered = stopped.length > 0 || (visits.stopped ?? 0) > 0
  if (isHindered || absentOf(hit) < Math.max(sum(hit), AGREEING_VISITS)) return 'unconfirmed'
  return visibleId !== null && (hit.none ?? 0) >= AGREEING_VISITS ? 'never' : 'unseen'
}

type Sent = 'confirmed' | 'unconfirmed' | 'unseen' | 'never'

function sum(counts: Partial<Record<string, number>>): number {
  return Object.values(counts).reduce<number>((total, count) => total + (count ?? 0), 0)
}

const JUDGE_COPIES_EDIT = { kind: 'edit', label: 'Editar pixel' } as const

/**
 * The health of a pixel that the server tells of, out of what browsers showed and what the vendor answered. The vendor's
 * own answer is the best evidence there is; where it never gives one, nothing is confirmed.
 */
export function judgeDuplicates(browser: PixelHealth, copies: CopyEvidence): PixelHealth {
  const server = judgeServer(copies)
  if (copies.delivery === 'server') return server
  // The breaker took it off the page: its copies must not hide that.
  if (browser.health === 'paused') return browser
  const reasons = [...server.reasons, ...browser.reasons]
  if (server.health === 'waiting') return browser
  if (browser.health === 'waiting') return { ...server, reasons }
  if (server.health === 'working' && browser.health === 'working')
    return { health: 'working', confirmed: true, reasons: [] }
  if (server.health === 'broken' && browser.health === 'broken')
    return { health: 'broken', confirmed: false, reasons }
  return { health: 'partial', confirmed: server.confirmed || browser.confirmed, reasons }
}

function judgeServer({
  stop,
  accepted,
  unconfirmed,
  refused,
  isRetrying,
  unconfirmedText,
}: CopyEvidence): PixelHealth {
  if (stop !== null)
    return { health: 'broken', confirmed: false, reasons: [{ ...stop, action: JUDGE_COPIES_EDIT }] }
  const sent = accepted + unconfirmed
  const isFaulty = refused > 0 && refused / (sent + refused) >= SHARE
  const faults = isFaulty ? [refusedReason(refused, sent + refused)] : []
  if (sent === 0 && refused > 0) return { health: 'broken', confirmed: false, reasons: faults }
  // Somebody came: "Aguardando visita" would not be true.
  if (sent === 0 && isRetrying) return { health: 'partial', confirmed: false, reasons: [RETRYING] }
  if (sent === 0) return { health: 'waiting', confirmed: false, reasons: [] }
  const confirmed = accepted > 0
  if (faults.length > 0) return { health: 'partial', confirmed, reasons: faults }
  return {
    health: 'working',
    confirmed,
    reasons: [confirmed ? acceptedReason(accepted) : unconfirmedReason(unconfirmedText)],
  }
}

const acceptedReason = (count: number): HealthReason => ({
  code: 'server_accepted',
  message:
    count === 1
      ? 'O destino aceitou a cópia do servidor nas últimas 24 horas.'
      : `O destino aceitou ${count} cópias do servidor nas últimas 24 horas.`,
})

const RETRYING: HealthReason = {
  code: 'server_retrying',
  message:
    'O servidor tentou enviar e ainda não conseguiu. Ele tenta de novo sozinho; o motivo está nas entregas do pixel.',
}

const unconfirmedReason = (message: string): HealthReason => ({ code: 'server_unconfirmed', message })

const refusedReason = (count: number, all: number): HealthReason => ({
  code: 'server_refused',
  message: `O destino recusou ${count} de ${all} eventos do servidor nas últimas 24 horas. Veja os motivos nas entregas do pixel.`,
})

const TRIPPED_AT = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: SITE_TIME_ZONE,
})

const EDIT = { kind: 'edit', label: 'Editar código' } as const

const EDIT_ID = { kind: 'edit', label: 'Corrigir o ID' } as const

/** Every reason in one place, in the words that an administrator reads: what was seen, by whom, and what to do. */
export const HEALTH_WORDS = {
  refused: (message: string): HealthReason => ({ code: 'refused', message, action: EDIT }),
  leftOut: (): HealthReason => ({
    code: 'left_out',
    message:
      'Esta tag não está na página: os hosts das tags ativas não cabem no cabeçalho. Desative outra tag.',
  }),
  nothingRuns: (warnings: readonly TagWarning[]): HealthReason => ({
    code: 'nothing_runs',
    message: warnings[0]?.message ?? 'Não há código nesta tag: nada roda na página.',
    action: EDIT,
  }),
  impossibleId: (message: string): HealthReason => ({ code: 'impossible_id', message, action: EDIT_ID }),
  warning: ({ code, message }: TagWarning): HealthReason => ({ code, message, action: EDIT }),
  stopped:
    (vendor: string) =>
    ({ id, host, permit }: BlockedHost): HealthReason => ({
      code: 'stopped_by_policy',
      host,
      message: `A nossa política barrou ${host}: ${vendor} não conseguiu falar com esse endereço.`,
      action: { kind: 'permit', ids: [id], label: permit === 'set' ? 'Permitir' : `Permitir ${host}` },
    }),
  stoppedScript: (count: number, all: number): HealthReason => ({
    code: 'stopped_by_policy',
    message: `A nossa política barrou um script desta tag em ${ofVisits(count, all)}.`,
  }),
  blocked: (vendor: string, count: number, all: number): HealthReason => ({
    code: 'blocked_in_browser',
    message: `Em ${ofVisits(count, all)}, o navegador não carregou o script de ${vendor}: bloqueadores de anúncios ou falha de rede.`,
  }),
  failed: (count: number, all: number, error: string | null): HealthReason => ({
    code: 'script_error',
    message: `Em ${ofVisits(count, all)}, o código da tag parou com um erro${error === null ? '' : ` (${error.replace(/^Uncaught /, '')})`}.`,
    action: EDIT,
  }),
  nothingSent: (vendor: string, id: string | null, visits: number): HealthReason => ({
    code: 'nothing_sent',
    message: `A tag rodou em ${countVisits(visits)}, mas nenhuma enviou a página a ${vendor}${id === null ? '' : ` com o ID ${id}`}. Confira o ID e o código.`,
    action: EDIT,
  }),
  notConfirmed: (vendor: string, id: string): HealthReason => ({
    code: 'not_confirmed',
    message: `Vimos um envio para ${vendor} com o ID ${id}, mas os navegadores dessas visitas não dizem se ele chegou. Uma visita com Firefox ou Safari confirma, e o painel da plataforma também.`,
  }),
  showsNoId: (vendor: string): HealthReason => ({
    code: 'not_confirmed',
    message: `Rodou sem erro e nada foi barrado. O envio para ${vendor} não mostra o ID, e por isso nenhum navegador pode confirmá-lo: confira no painel da plataforma.`,
  }),
  unknownVendor: (): HealthReason => ({
    code: 'not_confirmed',
    message:
      'Rodou sem erro e nada foi barrado. Não sabemos para onde este código envia: só o painel da plataforma confirma.',
  }),
  leftEarly: (vendor: string): HealthReason => ({
    code: 'not_confirmed',
    message: `Rodou sem erro e nada foi barrado, mas nenhuma visita ficou na página até o envio para ${vendor}.`,
  }),
  notSeen: (vendor: string, id: string | null, visits: number): HealthReason => ({
    code: 'not_confirmed',
    message: `Rodou sem erro e nada foi barrado, mas em ${countVisits(visits)} não vimos nenhum envio para ${vendor}${withId(id)}. Ainda é pouco para concluir; confira o ${id === null ? 'código' : 'ID'}.`,
  }),
  nothingSeen: (vendor: string, id: string | null, visits: number): HealthReason => ({
    code: 'nothing_seen',
    message: `A tag rodou sem erro, mas em ${countVisits(visits)} não vimos nenhum envio para ${vendor}${withId(id)}. Confira ${id === null ? 'o código' : 'o ID e o código'}; um teste no Firefox mostra se algo sai.`,
    action: EDIT,
  }),
  tripped: ({ state, tripped_at, ...counts }: Breaker): HealthReason => ({
    code: state === 'paused' ? 'breaker_paused' : 'breaker_warned',
    message: `${TRIPPED_AT.format(new Date(tripped_at))}: ${describeTrip('a tag', counts)}. ${
      state === 'paused'
        ? 'O disjuntor a pausou: ela não está na página até ser religada.'
        : 'O disjuntor dela só avisa; para que ela seja pausada sozinha, ligue-o no formulário.'
    }`,
    action: { kind: 'rearm', label: state === 'paused' ? 'Religar' : 'Entendi' },
  }),
  isolated: (vendor: string): HealthReason => ({
    code: 'isolated',
    message: `Esta tag roda isolada. Se ${vendor} precisa ver ou mudar a página, escolha "Na página" em "Onde roda".`,
    action: { kind: 'edit', label: 'Mudar onde roda' },
  }),
  inPage: (): HealthReason => ({
    code: 'in_page',
    message: 'Está no HTML da página inicial, para todos, sem pedir consentimento.',
  }),
} as const

function withId(id: string | null): string {
  return id === null ? '' : ` com o ID ${id}`
}

const ofVisits = (count: number, all: number) => formatPart(count, all, 'visita', 'visitas')

const countVisits = (count: number) => formatCount(count, 'visita', 'visitas')
