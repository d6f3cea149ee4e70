import { formatCount, formatPart } from '#contract/format-count.ts'
import { describeRemoval, FRAME_REMOVALS } from '#contract/isolated-frame.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { BlockedHost, HealthReason, PixelHealth, TagWarning } from '#contract/tag-status.ts'
import type { ServerResults } from '#server/conversions/delivery-results.ts'
import { type Breaker, describeTrip } from './breaker.ts'
import type { TagObservations } from './observations.ts'

export interface HealthInput {
  isActive: boolean
  isPaused: boolean
  /** True if it runs in an isolated frame. */
  isIsolated?: boolean
  breaker: Breaker | null
  /** Steps that run after consent, and items in the page's HTML. */
  steps: number
  headItems: number
  refusal: string | null
  isLeftOut: boolean
  warnings: readonly TagWarning[]
  vendorName: string
  /** The account's ID, if the vendor writes it into the address of its page view. */
  visibleId: string | null
  /** The catalogue says where its page view goes. */
  hasPageView: boolean
  /** Why its ID cannot be valid for its vendor. */
  idFault: string | null
  observations: TagObservations
  lastError: string | null
  /** What our policy stopped for this pixel. */
  stopped: readonly BlockedHost[]
}

/** A smaller share of visits without the vendor is normal: ad blockers and bad networks. */
const SHARE = 0.1

/** One visit proves nothing: this many must agree. */
const AGREEING_VISITS = 3

/** Warnings that mean that the code does not do what its author expects. */
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

/**
 * Implements the table of docs/explain/health.md. Everything that contradicts "Funcionando" is reported; what no visit
 * saw is not claimed.
 */
export function judgeHealth(input: HealthInput): PixelHealth {
  const judged = judge(input)
  if (!input.isIsolated || !mayMissPage(judged, input)) return judged
  return { ...judged, reasons: [...judged.reasons, HEALTH_WORDS.isolated(input.vendorName)] }
}

/**
 * Isolation explains neither what a blocker, the network or our policy stopped, nor a frame that was removed for its
 * behaviour.
 */
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
  const all = sum(input.observations.visits)
  if (all === 0) return { health: 'waiting', confirmed: false, reasons: faults }
  const warned = input.breaker === null ? [] : [HEALTH_WORDS.tripped(input.breaker)]
  const seen = [...warned, ...faults, ...faultsOfVisits(input, all)]
  // What our own policy stopped can be permitted with one click, so it counts as faulty, not broken.
  if (input.stopped.length === 0 && !reachedVendor(input, all))
    return { health: 'broken', confirmed: false, reasons: seen }
  const sent = judgeHits(input)
  if (sent === 'never') {
    const reason = HEALTH_WORDS.nothingSent(
      input.vendorName,
      input.visibleId,
      input.observations.hit.none ?? 0,
    )
    return { health: 'broken', confirmed: false, reasons: [...seen, reason] }
  }
  if (sent === 'unseen')
    seen.push(HEALTH_WORDS.nothingSeen(input.vendorName, input.visibleId, sum(input.observations.hit)))
  const confirmed = sent === 'confirmed'
  if (seen.length > 0) return { health: 'partial', confirmed, reasons: seen }
  return { health: 'working', confirmed, reasons: confirmed ? [] : [whyUnconfirmed(input)] }
}

/** Why it is not confirmed, and what would confirm it. */
function whyUnconfirmed({
  vendorName,
  visibleId,
  hasPageView,
  observations: { hit },
}: HealthInput): HealthReason {
  if (!hasPageView) return HEALTH_WORDS.unknownVendor()
  if (sum(hit) === 0) return HEALTH_WORDS.leftEarly(vendorName)
  if (absentOf(hit) === sum(hit)) return HEALTH_WORDS.notSeen(vendorName, visibleId, sum(hit))
  return visibleId === null
    ? HEALTH_WORDS.showsNoId(vendorName)
    : HEALTH_WORDS.notConfirmed(vendorName, visibleId)
}

/** False only if visits prove that nothing got through: blocked requests of a few visitors are no proof. */
function reachedVendor({ observations: { visits, hit, hosts } }: HealthInput, all: number): boolean {
  if ((visits.ran ?? 0) > 0) return true
  const found = [hit, ...hosts.values()]
  if (found.some((counts) => (counts.answered ?? 0) + (counts.sent ?? 0) > 0)) return true
  // In Chromium a blocked script leaves the same trace as a request that arrived.
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
  { observations: { visits }, lastError, vendorName, stopped }: HealthInput,
  all: number,
): HealthReason[] {
  const share = (count = 0) => count > 0 && count / all >= SHARE
  return [
    ...(share(visits.blocked) ? [HEALTH_WORDS.blocked(vendorName, visits.blocked ?? 0, all)] : []),
    ...(share(visits.failed) ? [HEALTH_WORDS.failed(visits.failed ?? 0, all, wordsOf(lastError))] : []),
    // A policy report names the host; without one, the visit alone reports it.
    ...(share(visits.stopped) && stopped.length === 0
      ? [HEALTH_WORDS.stoppedScript(visits.stopped ?? 0, all)]
      : []),
  ]
}

function absentOf({ none = 0, unseen = 0 }: TagObservations['hit']): number {
  return none + unseen
}

/**
 * `never`: visits agree that the tag ran, that nothing stopped it and that nothing was sent. A loaded script or
 * settings file does not prove a page view: only a request with the account's ID does. `unseen`: as many agree, but
 * with browsers that may miss requests.
 */
function judgeHits({ observations: { hit, visits }, visibleId, stopped }: HealthInput): Sent {
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
 * Combines what browsers showed with the vendor's answers to our server. The vendor's answer is the best evidence;
 * where it never answers, nothing is confirmed.
 */
export function judgeDuplicates(browser: PixelHealth, copies: ServerResults): PixelHealth {
  const server = judgeServer(copies)
  if (copies.delivery === 'server') return server
  // The breaker paused the tag: events sent by the server must not hide that.
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
  isFailing,
  unconfirmedText,
}: ServerResults): PixelHealth {
  if (stop !== null)
    return { health: 'broken', confirmed: false, reasons: [{ ...stop, action: JUDGE_COPIES_EDIT }] }
  const sent = accepted + unconfirmed
  const isFaulty = refused > 0 && refused / (sent + refused) >= SHARE
  const faults = isFaulty ? [refusedReason(refused, sent + refused)] : []
  if (sent === 0 && refused > 0) return { health: 'broken', confirmed: false, reasons: faults }
  // There was a visit: "Aguardando visita" would be wrong.
  if (sent === 0 && isRetrying) return { health: 'partial', confirmed: false, reasons: [RETRYING] }
  if (sent === 0) return { health: 'waiting', confirmed: false, reasons: [] }
  const confirmed = accepted > 0
  const problems = isFailing ? [FAILING, ...faults] : faults
  if (problems.length > 0) return { health: 'partial', confirmed, reasons: problems }
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
      ? '1 envio do servidor foi aceito nas últimas 24 horas.'
      : `${count} envios do servidor foram aceitos nas últimas 24 horas.`,
})

const RETRYING: HealthReason = {
  code: 'server_retrying',
  message:
    'O servidor ainda não conseguiu enviar e vai tentar de novo. Veja o motivo em "Envio pelo servidor", na página do pixel.',
}

const FAILING: HealthReason = {
  code: 'server_failing',
  message:
    'Na última hora, nenhum envio do servidor deu certo. Ele vai tentar de novo. Veja o motivo em "Envio pelo servidor", na página do pixel.',
}

const unconfirmedReason = (message: string): HealthReason => ({ code: 'server_unconfirmed', message })

const refusedReason = (count: number, all: number): HealthReason => ({
  code: 'server_refused',
  message: `${count} de ${all} eventos enviados pelo servidor foram recusados nas últimas 24 horas. Veja os motivos em "Envio pelo servidor", na página do pixel.`,
})

const TRIPPED_AT = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: SITE_TIME_ZONE,
})

const EDIT = { kind: 'edit', label: 'Editar código' } as const

const EDIT_ID = { kind: 'edit', label: 'Corrigir o ID' } as const

/** All reasons, in Portuguese: what was seen, and what to do. */
export const HEALTH_WORDS = {
  refused: (message: string): HealthReason => ({ code: 'refused', message, action: EDIT }),
  leftOut: (): HealthReason => ({
    code: 'left_out',
    message: 'Esta tag está fora do site: as tags ativas usam domínios demais. Desative outra tag.',
  }),
  nothingRuns: (warnings: readonly TagWarning[]): HealthReason => ({
    code: 'nothing_runs',
    message:
      warnings[0]?.message ??
      'Este pixel está sem código, então nada roda no site. Edite e cole o código da plataforma.',
    action: EDIT,
  }),
  impossibleId: (message: string): HealthReason => ({ code: 'impossible_id', message, action: EDIT_ID }),
  warning: ({ code, message }: TagWarning): HealthReason => ({ code, message, action: EDIT }),
  stopped:
    (vendor: string) =>
    ({ id, host, permit }: BlockedHost): HealthReason => ({
      code: 'stopped_by_policy',
      host,
      message: `O site bloqueou o domínio ${host}, que ${vendor} tentou acessar. Se for da plataforma, permita.`,
      action: { kind: 'permit', ids: [id], label: permit === 'set' ? 'Permitir' : `Permitir ${host}` },
    }),
  stoppedScript: (count: number, all: number): HealthReason => ({
    code: 'stopped_by_policy',
    message: `O site bloqueou um script desta tag em ${ofVisits(count, all)}. Abra "Testar agora" para ver o domínio.`,
  }),
  blocked: (vendor: string, count: number, all: number): HealthReason => ({
    code: 'blocked_in_browser',
    message: `Em ${ofVisits(count, all)}, o script de ${vendor} não carregou. O motivo mais comum é um bloqueador de anúncios ou uma falha de rede do visitante.`,
  }),
  failed: (count: number, all: number, error: string | null): HealthReason => ({
    code: 'script_error',
    message: `Em ${ofVisits(count, all)}, o código da tag deu erro${error === null ? '' : ` (${error.replace(/^Uncaught /, '')})`}. Corrija ou copie o código de novo da plataforma.`,
    action: EDIT,
  }),
  nothingSent: (vendor: string, id: string | null, visits: number): HealthReason => ({
    code: 'nothing_sent',
    message: `A tag rodou em ${countVisits(visits)}, mas nenhuma visita foi enviada a ${vendor}${id === null ? '' : ` com o ID ${id}`}. Confira o ID e o código.`,
    action: EDIT,
  }),
  notConfirmed: (vendor: string, id: string): HealthReason => ({
    code: 'not_confirmed',
    message: `Vimos um envio a ${vendor} com o ID ${id}, mas os navegadores dessas visitas não informam se ele chegou. Para confirmar, visite o site com Firefox ou Safari ou confira no painel da plataforma.`,
  }),
  showsNoId: (vendor: string): HealthReason => ({
    code: 'not_confirmed',
    message: `A tag rodou sem erro e sem bloqueio. O envio a ${vendor} não mostra o ID, e nenhum navegador consegue confirmar. Confira no painel da plataforma.`,
  }),
  unknownVendor: (): HealthReason => ({
    code: 'not_confirmed',
    message:
      'A tag rodou sem erro e sem bloqueio. Não sabemos para onde este código envia. Confira no painel da plataforma.',
  }),
  leftEarly: (vendor: string): HealthReason => ({
    code: 'not_confirmed',
    message: `A tag rodou sem erro e sem bloqueio, mas nenhuma visita ficou na página até o envio a ${vendor}.`,
  }),
  notSeen: (vendor: string, id: string | null, visits: number): HealthReason => ({
    code: 'not_confirmed',
    message: `A tag rodou sem erro em ${countVisits(visits)}, mas não vimos nenhum envio a ${vendor}${withId(id)}. Ainda são poucas visitas. Enquanto isso, confira o ${id === null ? 'código' : 'ID'}.`,
  }),
  nothingSeen: (vendor: string, id: string | null, visits: number): HealthReason => ({
    code: 'nothing_seen',
    message: `A tag rodou sem erro em ${countVisits(visits)}, mas não vimos nenhum envio a ${vendor}${withId(id)}. Confira ${id === null ? 'o código' : 'o ID e o código'}. Um teste no Firefox mostra se algo é enviado.`,
    action: EDIT,
  }),
  tripped: ({ state, tripped_at, ...counts }: Breaker): HealthReason => ({
    code: state === 'paused' ? 'breaker_paused' : 'breaker_warned',
    message: `Em ${TRIPPED_AT.format(new Date(tripped_at))}, ${describeTrip('a tag', counts)}. ${
      state === 'paused'
        ? 'A pausa automática tirou a tag do site. Para voltar, clique em "Retomar".'
        : 'A tag continua no site. Para pausar automaticamente da próxima vez, ative a opção no formulário.'
    }`,
    action: { kind: 'rearm', label: state === 'paused' ? 'Retomar' : 'Entendi' },
  }),
  isolated: (vendor: string): HealthReason => ({
    code: 'isolated',
    message: `Esta tag roda isolada da página. Se ${vendor} precisa ler ou mudar a página, mude "Onde a tag roda" para "Na página".`,
    action: { kind: 'edit', label: 'Editar onde a tag roda' },
  }),
  inPage: (): HealthReason => ({
    code: 'in_page',
    message: 'Está no HTML da página inicial para todos os visitantes. Não depende de consentimento.',
  }),
} as const

function withId(id: string | null): string {
  return id === null ? '' : ` com o ID ${id}`
}

const ofVisits = (count: number, all: number) => formatPart(count, all, 'visita', 'visitas')

const countVisits = (count: number) => formatCount(count, 'visita', 'visitas')
