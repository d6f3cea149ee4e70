import { formatCount, formatPart } from '#contract/format-count.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { BlockedHost, HealthReason, TagWarning } from '#contract/tag-status.ts'
import { describeTrip } from '../breaker/describe-trip.ts'
import type { Breaker } from '../breaker/read-breakers.ts'

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
