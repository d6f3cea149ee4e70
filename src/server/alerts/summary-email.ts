import { formatCount } from '#contract/format-count.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import { FEW, OTHERS, type VisitReport } from '#contract/visit-report.ts'
import type { Email, EmailTable } from '../mail/email.ts'

export interface WeekFacts {
  week: VisitReport
  before: VisitReport
  /** Active tags that do not work as they should, with the reason as a sentence. */
  tags: readonly { name: string; reason: string }[]
}

/** Below this, a share or a change says nothing. */
const MIN_BASE = 30

const MOST_CAMPAIGNS = 3
const MOST_TAGS = 5

const NUMBER = new Intl.NumberFormat('pt-BR')
const TENTHS = new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 1 })
const WEEKDAY = new Intl.DateTimeFormat('pt-BR', { weekday: 'short', timeZone: SITE_TIME_ZONE })
const WEEKDAY_NAME = new Intl.DateTimeFormat('pt-BR', { weekday: 'long', timeZone: SITE_TIME_ZONE })

/** The week in counts. Nothing in it identifies a person. */
export function summaryEmail({ week, before, tags }: WeekFacts, adminUrl: string): Email {
  const visits = week.totals.visits ?? 0
  const campaigns = campaignTable(week)
  const [firstTag] = tags
  const news =
    firstTag === undefined
      ? campaigns === null
        ? 'Veja o que as visitas fizeram e como estão as tags.'
        : `A campanha com mais visitas foi ${campaigns.rows[0]?.label}.`
      : formatCount(tags.length, 'tag precisa de você.', 'tags precisam de você.')
  return {
    subject: week.is_on
      ? `Sua semana: ${formatCount(visits, 'visita', 'visitas')}`
      : 'Sua semana: como estão as tags',
    preview: news,
    paragraphs: week.is_on ? [compared(week, before)] : [],
    ...(week.is_on && visits > 0 ? { chart: chartOf(week) } : {}),
    tables: [
      ...(week.is_on ? [figures(week, before)] : []),
      ...(campaigns === null ? [] : [campaigns]),
      tagTable(tags),
    ],
    action: {
      label: 'Abrir o painel',
      url: `${adminUrl}/admin`,
    },
    closing: [
      'Só contagens: nada aqui identifica uma pessoa.',
      'Você recebe este resumo às segundas, às 8h, porque ativou em Minha conta, no painel. Lá você pode desativar.',
    ],
  }
}

function compared(week: VisitReport, before: VisitReport): string {
  const [now, then] = [week.totals.visits ?? 0, before.totals.visits ?? 0]
  const best = now === 0 ? '' : ` O melhor dia foi ${bestDay(week)}.`
  if (!wasCounted(before, week)) return `Ainda não há uma semana anterior para comparar.${best}`
  if (now === then) return `O mesmo que na semana anterior.${best}`
  if (now < MIN_BASE || then < MIN_BASE)
    return `A semana anterior teve ${formatCount(then, 'visita', 'visitas')}.${best}`
  const percent = Math.round((Math.abs(now - then) / then) * 100)
  const change =
    percent === 0 ? 'Quase o mesmo que' : `${NUMBER.format(percent)}% a ${now > then ? 'mais' : 'menos'} que`
  return `${change} na semana anterior, que teve ${NUMBER.format(then)}.${best}`
}

/** Counting had begun before that week. */
function wasCounted(before: VisitReport, { since }: VisitReport): boolean {
  const start = before.series[0]?.at
  return since !== null && start !== undefined && since <= start
}

function bestDay({ series }: VisitReport): string {
  const best = series.reduce((sofar, point) => ((point.visits ?? 0) > (sofar.visits ?? 0) ? point : sofar))
  return WEEKDAY_NAME.format(Date.parse(best.at))
}

function chartOf({ series }: VisitReport): NonNullable<Email['chart']> {
  return series.map(({ at, visits }) => ({
    label: WEEKDAY.format(Date.parse(at)).replace('.', ''),
    value: visits ?? 0,
    text: NUMBER.format(visits ?? 0),
  }))
}

function figures(week: VisitReport, before: VisitReport): EmailTable {
  const { visits, visitors, clicks, subscriptions } = week.totals
  const hasBefore = wasCounted(before, week)
  const row = (label: string, now: number | null, then: number | null, detail?: string) => ({
    label,
    value: NUMBER.format(now ?? 0),
    ...(detail === undefined ? {} : { detail }),
    ...(hasBefore ? { before: `antes ${NUMBER.format(then ?? 0)}` } : {}),
  })
  const perHundred = (count: number | null) =>
    (visits ?? 0) < MIN_BASE
      ? undefined
      : `${TENTHS.format(((count ?? 0) / (visits ?? 1)) * 100)} a cada 100 visitas`
  const then = before.totals
  return {
    title: 'O que as visitas fizeram',
    rows: [
      ...(week.hides_addresses
        ? []
        : [row('Visitantes (estimativa)', visitors, then.visitors, 'somados dia a dia')]),
      row('Cliques em Abrir Conta', clicks.lead, then.clicks.lead, perHundred(clicks.lead)),
      row(
        'Cliques em Falar com Especialista',
        clicks.contact,
        then.clicks.contact,
        perHundred(clicks.contact),
      ),
      row('Inscrições na newsletter', subscriptions, then.subscriptions),
    ],
  }
}

function campaignTable({ rows }: VisitReport): EmailTable | null {
  const named = rows.filter(({ key, visits }) => key !== '' && key !== OTHERS && visits !== null)
  if (named.length === 0) return null
  return {
    title: 'Campanhas com mais visitas',
    rows: named.slice(0, MOST_CAMPAIGNS).map(({ key, visits, clicks: { lead } }) => ({
      label: key,
      detail: `Cliques em Abrir Conta: ${lead === null ? FEW : NUMBER.format(lead)}`,
      value: formatCount(visits ?? 0, 'visita', 'visitas'),
    })),
  }
}

function tagTable(tags: WeekFacts['tags']): EmailTable {
  const hidden = tags.length - MOST_TAGS
  return {
    title: 'Tags que precisam de você',
    rows:
      tags.length === 0
        ? [{ label: 'Nenhuma tag com problema agora.' }]
        : tags.slice(0, MOST_TAGS).map(({ name, reason }) => ({ label: name, detail: reason })),
    ...(hidden > 0 ? { note: `E mais ${formatCount(hidden, 'tag', 'tags')}. Veja todas no painel.` } : {}),
  }
}
