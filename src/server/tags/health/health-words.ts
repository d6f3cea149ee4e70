import { SITE_TIME_ZONE } from '#contract/site-time-zone.ts'
import type { HealthReason } from '#contract/tag-health.ts'
import type { BlockedHost, TagWarning } from '#contract/tag-status.ts'
import { describeTrip } from '../breaker/describe-trip.ts'
import type { Breaker } from '../breaker/read-breakers.ts'

const TRIPPED_AT = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: SITE_TIME_ZONE,
})
const EDIT = { kind: 'edit', label: 'Editar código' } as const

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
  notConfirmed: (vendor: string): HealthReason => ({
    code: 'not_confirmed',
    message: `Rodou sem erro e nada foi barrado. Os navegadores que vieram até agora não contam se ${vendor} recebeu.`,
  }),
  notSeen: (vendor: string, id: string, visits: number): HealthReason => ({
    code: 'not_confirmed',
    message: `Rodou sem erro e nada foi barrado, mas em ${countVisits(visits)} não se viu a página ser enviada a ${vendor} com o ID ${id}. São poucas para concluir; confira o ID.`,
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

function ofVisits(count: number, all: number): string {
  const share = Math.round((count / all) * 100)
  return `${count.toLocaleString('pt-BR')} de ${countVisits(all)} (${share}%)`
}

function countVisits(count: number): string {
  return `${count.toLocaleString('pt-BR')} ${count === 1 ? 'visita' : 'visitas'}`
}
