import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QuietButton } from '#admin/components/button.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import {
  formatDayMonth,
  formatLongDay,
  formatNumber,
  formatPerHundred,
  formatTime,
} from '#admin/lib/format.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import { MINUTE_MS } from '#contract/durations.ts'
import { formatCount, formatShare, formatShares } from '#contract/format-count.ts'
import type { SiteCost } from '#contract/tag-cost.ts'
import { type TodayFigure as Figure, TODAY_FIGURES, type Today } from '#contract/visit-results.ts'
import { FigureCell, Sparkline } from './today-figures.tsx'

interface TodayStripProps {
  /** Number of pixels with a problem; undefined if unknown. */
  problems: number | undefined
  /** Number of active pixels; undefined if unknown. */
  active: number | undefined
}

/** Today's figures above the list. Unknown figures are left out. */
export function TodayStrip({ problems, active }: TodayStripProps) {
  const today = useToday()
  if (today.data === undefined)
    return (
      <TodayFrame isBusy={today.isPending}>
        {today.isError ? (
          <p className="flex flex-wrap items-center gap-x-4 self-start text-[0.9375rem] text-on-ink-2">
            Não foi possível carregar os números de hoje.
            <QuietButton
              className="mx-0 px-0 text-on-ink hover:text-accent"
              onClick={() => void today.refetch()}
            >
              Tentar novamente
            </QuietButton>
          </p>
        ) : null}
      </TodayFrame>
    )
  return (
    <TodayFrame
      when={`${formatLongDay(today.data.until)}, até ${formatTime(today.data.until)}`}
      budget={today.data.cost && describeCost(today.data.cost)}
      note={describeComparison(today.data)}
      explanations={explainFigures(today.data)}
    >
      <Figures today={today.data} problems={problems} active={active} />
    </TodayFrame>
  )
}

interface FiguresProps extends TodayStripProps {
  today: Today
}

function Figures({ today, problems, active }: FiguresProps) {
  const { visits, visitors, choices, lead, contact, subscriptions, dates, counts_visits: isCounted } = today
  const until = today.compared_until
  const base = visits.today
  return (
    <ul className="-mx-2 grid grid-cols-2 content-evenly gap-y-1 sm:grid-cols-3 sm:gap-y-3 lg:grid-cols-6">
      <Counted
        label="Visitas"
        figure={visits}
        until={until}
        first={
          !isCounted
            ? OFF
            : base === 0
              ? 'nenhuma ainda'
              : visitors.today === undefined
                ? null
                : formatCount(visitors.today, 'visitante', 'visitantes')
        }
        dates={dates}
        path={paths.visits}
      />
      <Counted
        label="Responderam ao aviso"
        figure={choices}
        until={until}
        first={shareOfVisits(choices.today, base)}
        dates={dates}
        path={paths.consent}
      />
      <Counted
        label="Abrir Conta (cliques)"
        figure={lead}
        until={until}
        first={isCounted ? perVisits(lead.today, base) : OFF}
        dates={dates}
      />
      <Counted
        label="Especialista (cliques)"
        figure={contact}
        until={until}
        first={isCounted ? perVisits(contact.today, base) : OFF}
        dates={dates}
      />
      <Counted
        label="Inscrições"
        figure={subscriptions}
        until={until}
        first={perVisits(subscriptions.today, base)}
        dates={dates}
        path={paths.subscriptions}
      />
      <FigureCell
        label="Tags com problema"
        value={problems === undefined ? null : formatNumber(problems)}
        under={[active === undefined ? 'agora' : `agora, de ${formatCount(active, 'ativa', 'ativas')}`]}
        path={paths.problems}
        isAlarm={problems !== undefined && problems > 0}
        isApart
      />
    </ul>
  )
}

const OFF = 'contagem desativada'

/** Of fewer visits no share is computed. */
const ENOUGH_VISITS = 30

/** A visit answers once, so this is a share. Visitors who are not counted answer too: then there is none. */
function shareOfVisits(part: number | undefined, visits: number | undefined): string | null {
  if (part === undefined || !visits) return null
  return visits < ENOUGH_VISITS || part > visits
    ? `em ${formatCount(visits, 'visita', 'visitas')}`
    : `${formatShare(part, visits)} das visitas`
}

/** Two clicks of one visit are two, so this is no share of the visits. */
function perVisits(part: number | undefined, visits: number | undefined): string | null {
  if (part === undefined || !visits) return null
  return visits < ENOUGH_VISITS
    ? `em ${formatCount(visits, 'visita', 'visitas')}`
    : `${formatPerHundred(part, visits)} por 100 visitas`
}

interface CountedProps {
  label: string
  figure: Figure
  /** Up to when days are compared; null if they are not yet. */
  until: string | null
  /** The first line below the number; null for none. */
  first: string | null
  dates: readonly string[]
  path?: string
}

function Counted({ label, figure, until, first, dates, path }: CountedProps) {
  const { today, days, days_until: untilNow } = figure
  const before = describeYesterday(figure, until)
  return (
    <FigureCell
      label={label}
      value={today === undefined ? null : formatNumber(today)}
      under={[first, before].filter((line) => line !== null)}
      {...(path === undefined ? {} : { path })}
    >
      <Sparkline days={days} untilNow={untilNow} label={readOut(figure, dates)} />
    </FigureCell>
  )
}

/** "ontem: 1.785". The note has the time, which would need a second line here on a small phone. */
function describeYesterday({ today, yesterday }: Figure, until: string | null): string | null {
  if (today === undefined) return null
  if (yesterday === undefined) return 'sem dados de ontem'
  return until === null ? null : `ontem: ${formatNumber(yesterday)}`
}

function describeComparison(today: Today): string {
  const bars = 'As barras mostram os últimos 7 dias'
  // On a first day each figure says that there is no yesterday.
  if (TODAY_FIGURES.every((name) => today[name].yesterday === undefined)) return `${bars}.`
  const until = today.compared_until
  return until === null
    ? `${bars}. A comparação com ontem começa à 0h10.`
    : `Comparado com ontem até ${untilOf(until)}. ${bars}; a parte clara vai até essa hora.`
}

/** Each figure with what it counts. */
function explainFigures(today: Today): [string, string][] {
  const { cost, counted_since, counts_visits: isCounted } = today
  const answers = describeAnswers(today)
  return [
    isCounted
      ? [
          'Visitas',
          'Cada vinda ao site, com até 30 minutos de pausa. Contamos sem cookies e sem guardar quem veio, por isso entram também as pessoas que recusaram. Robôs conhecidos ficam de fora. Visitante é a mesma pessoa no mesmo dia.',
        ]
      : ['Visitas e cliques', 'A contagem está desativada no servidor (VISIT_COUNTS=off).'],
    [
      'Responderam ao aviso',
      `Visitas em que a pessoa aceitou, aceitou em parte ou recusou os cookies. Quem já tinha escolhido antes não é perguntado de novo.${answers}`,
    ],
    ...only(isCounted, [
      'Cliques',
      'Cliques de todas as visitas em "Abrir Conta" e em "Falar com Especialista": dois cliques contam como dois. Para a Meta e as outras plataformas vão só os de quem aceitou Marketing.',
    ]),
    ['Inscrições', 'E-mails novos deixados no formulário da newsletter.'],
    ...only(cost !== undefined && cost.ms > 0, [
      'Velocidade',
      'Em 1 de cada 4 visitas medidas, o tempo é esse ou maior (p75).',
    ]),
    ...only(counted_since !== null, [
      'Início',
      `Respostas contadas desde ${dateAndTimeOf(counted_since ?? '')}.`,
    ]),
  ]
}

function only(isTrue: boolean, line: [string, string]): [string, string][] {
  return isTrue ? [line] : []
}

/** " Hoje: 71% aceitaram tudo, 7% em parte e 22% recusaram." */
function describeAnswers({ choices, accepted, refused }: Today): string {
  if (!choices.today || accepted.today === undefined || refused.today === undefined) return ''
  const [all, part, none] = formatShares([
    accepted.today,
    choices.today - accepted.today - refused.today,
    refused.today,
  ])
  return ` Hoje: ${all} aceitaram tudo, ${part} em parte e ${none} recusaram.`
}

const dateAndTimeOf = (moment: string): string => `${formatDayMonth(moment)} às ${formatTime(moment)}`

/** With its article: "as 14h20", "a 1h", "a 0h10". */
function untilOf(moment: string): string {
  const time = formatTime(moment)
  return ['0h', '1h'].some((hour) => time.startsWith(hour)) ? `a ${time}` : `as ${time}`
}

/** Steps of a histogram: never too much. */
function describeCost({ ms, unattributed_ms: rest }: SiteCost): string {
  const sum =
    ms === 0
      ? 'Nenhuma lentidão medida nas tags'
      : `As tags ocupam o navegador por ${formatNumber(ms)} ms ou mais por visita`
  return rest === 0 ? sum : `${sum}, mais ${formatNumber(rest)} ms de origem não identificada`
}

/** For who cannot see the line: "09/11: 3, 10/11: sem dados". */
function readOut({ days }: Figure, dates: readonly string[]): string {
  const parts = days.map((value, index) => {
    const [, month, day] = (dates[index] ?? '').split('-')
    return `${day}/${month}: ${value === null ? 'sem dados' : formatNumber(value)}`
  })
  return `Últimos 7 dias. ${parts.join(', ')}.`
}

const REFRESH_MS = MINUTE_MS

/** Today's figures. */
function useToday() {
  const { admin } = useServices()
  return useQuery({
    queryKey: ['today'],
    queryFn: ({ signal }) => admin<Today>('/today', { signal }),
    refetchInterval: REFRESH_MS,
  })
}

interface TodayFrameProps {
  when?: string
  /** Costs of the tags per visit; undefined if not measured. */
  budget?: string | undefined
  note?: string
  explanations?: readonly [string, string][]
  isBusy?: boolean
  children?: ReactNode
}

/** The frame of the figures. Its height is reserved, so that the list below never moves. */
function TodayFrame({ when, budget, note, explanations = [], isBusy = false, children }: TodayFrameProps) {
  return (
    <section
      aria-labelledby="today-heading"
      aria-busy={isBusy}
      className="today on-ink mb-4 flex flex-col rounded-2xl px-5 pt-4 pb-1 sm:pb-4"
    >
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h3 id="today-heading" className="text-base">
          Hoje
        </h3>
        {when ? (
          <p className="text-[0.8125rem] text-on-ink-2 max-sm:order-last max-sm:w-full">{when}</p>
        ) : null}
        <Link
          href={paths.visits}
          className="-my-3 ml-auto inline-flex min-h-11 items-center text-sm font-semibold underline-offset-4 hover:underline"
        >
          Ver visitas
        </Link>
      </header>
      <div className="grid flex-1">{children}</div>
      {note ? (
        <div className="flex flex-wrap items-center gap-x-4 text-[0.8125rem]/5 text-on-ink-2 sm:mt-1">
          <p className="hidden text-pretty sm:block">{note}</p>
          {budget ? <p className="hidden text-pretty sm:block">{budget}.</p> : null}
          <SaibaMais about="sobre estes números" onInk className="open:w-full">
            <p className="sm:hidden">{note}</p>
            {budget ? <p className="sm:hidden">{budget}.</p> : null}
            <dl className="grid gap-1">
              {explanations.map(([term, text]) => (
                <div key={term}>
                  <dt className="inline font-semibold">{term}: </dt>
                  <dd className="inline">{text}</dd>
                </div>
              ))}
            </dl>
          </SaibaMais>
        </div>
      ) : null}
    </section>
  )
}
