import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QuietButton } from '#admin/components/button.tsx'
import { formatClock, formatDayMonth, formatLongDay, formatNumber } from '#admin/lib/format.ts'
import { paths } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import { formatShare } from '#contract/format-count.ts'
import type { SiteCost } from '#contract/tag-cost.ts'
import type { TodayFigure as Figure, Today, TodayFigure, TodayFigureName } from '#contract/visit-results.ts'
import { ChoiceBar, FigureCell, Sparkline } from './today-figures.tsx'

interface TodayStripProps {
  /** How many pixels have a problem; undefined while nobody knows. */
  problems: number | undefined
}

/** The site's day, above the list. It says what it can know, and nothing where it knows nothing. */
export function TodayStrip({ problems }: TodayStripProps) {
  const today = useToday()
  if (today.data === undefined)
    return (
      <TodayFrame isBusy={today.isPending}>
        {today.isError ? (
          <p className="flex flex-wrap items-center gap-x-4 self-start text-[0.9375rem] text-on-ink-2">
            Não deu para ler os números de hoje.
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
      when={`${formatLongDay(today.data.until)}, até ${timeOf(today.data.until)}`}
      budget={today.data.cost && describeCost(today.data.cost)}
      note={noteOn(today.data)}
    >
      <Figures today={today.data} problems={problems} />
    </TodayFrame>
  )
}

const COUNTED: readonly [TodayFigureName, string, string?][] = [
  ['lead', 'Abrir Conta (cliques)'],
  ['contact', 'Especialista (cliques)'],
  ['subscriptions', 'Inscrições', paths.subscriptions],
]

function Figures({ today, problems }: { today: Today; problems: number | undefined }) {
  const { choices, accepted, refused, dates } = today
  const acceptedShare = share(accepted.today, choices.today)
  const refusedShare = share(refused.today, choices.today)
  const before = share(accepted.yesterday, choices.yesterday)
  return (
    <ul className="-mx-2 grid grid-cols-2 content-evenly gap-y-1 sm:grid-cols-3 sm:gap-y-3 lg:grid-cols-6">
      <Counted label="Visitas que escolheram" figure={choices} dates={dates} path={paths.consent} />
      <FigureCell
        label="Aceitaram tudo"
        path={paths.consent}
        value={acceptedShare ?? (choices.today === 0 ? 'ninguém' : null)}
        beside={refusedShare === null ? null : `${refusedShare} recusaram`}
        under={
          before === null ? `ontem: ${choices.yesterday === 0 ? 'ninguém' : 'não medido'}` : `ontem ${before}`
        }
      >
        {choices.today ? (
          <ChoiceBar
            choices={choices.today}
            accepted={accepted.today ?? 0}
            refused={refused.today ?? 0}
            label={`De ${formatNumber(choices.today)}: ${formatNumber(accepted.today ?? 0)} aceitaram tudo, ${formatNumber(choices.today - (accepted.today ?? 0) - (refused.today ?? 0))} em parte, ${formatNumber(refused.today ?? 0)} recusaram.`}
          />
        ) : null}
      </FigureCell>
      {COUNTED.map(([name, label, path]) => (
        <Counted
          key={name}
          label={label}
          figure={today[name]}
          dates={dates}
          {...(path === undefined ? {} : { path })}
        />
      ))}
      <FigureCell
        label="Tags com problema"
        value={problems === undefined ? null : formatNumber(problems)}
        under="agora"
        path={paths.problems}
        isAlarm={problems !== undefined && problems > 0}
      />
    </ul>
  )
}

interface CountedProps {
  label: string
  figure: Figure
  dates: readonly string[]
  path?: string
}

function Counted({ label, figure, dates, path }: CountedProps) {
  return (
    <FigureCell
      label={label}
      value={figure.today === undefined ? null : formatNumber(figure.today)}
      under={figure.yesterday === undefined ? 'ontem: não medido' : `ontem ${formatNumber(figure.yesterday)}`}
      {...(path === undefined ? {} : { path })}
    >
      <Sparkline days={figure.days} label={readOut(figure, dates)} />
    </FigureCell>
  )
}

/** What stands beside the figures to say what they are. */
function noteOn({ yesterday_until, counted_since }: Today): string {
  return [
    `Comparado com ontem, até ${untilOf(yesterday_until)}. As barras mostram os últimos 7 dias.`,
    'Quem recusa os cookies entra só na contagem das escolhas. Cliques contam apenas em visitas com consentimento.',
    ...(counted_since === null
      ? []
      : [`Escolhas e cliques são contados desde ${dateAndTimeOf(counted_since)}.`]),
  ].join(' ')
}

/** "14h20", and "14h" on the hour. */
function timeOf(moment: string): string {
  return formatClock(moment)
    .replace(/^0(\d)/, '$1')
    .replace(':', 'h')
    .replace(/h00$/, 'h')
}

const dateAndTimeOf = (moment: string): string => `${formatDayMonth(moment)} às ${timeOf(moment)}`

/** The end of yesterday is no time of today's clock. */
function untilOf(moment: string): string {
  const time = timeOf(moment)
  return time === '0h' ? 'o fim do dia' : time
}

/** Steps of a histogram, of what browsers tell: never too much. */
function describeCost({ ms, unattributed_ms: rest }: SiteCost): string {
  const sum =
    ms === 0
      ? 'As tags não travam a página (p75)'
      : `As tags somam ${formatNumber(ms)} ms por visita ou mais (p75)`
  return rest === 0 ? sum : `${sum}; sem dono certo, ${formatNumber(rest)} ms`
}

/** Without its base a share says nothing: no share of none. */
export function share(part: number | undefined, whole: number | undefined): string | null {
  return part === undefined || whole === undefined || whole === 0 ? null : formatShare(part, whole)
}

/** For who cannot see the line: "09/11: 3, 10/11: não contado". */
function readOut({ days }: TodayFigure, dates: readonly string[]): string {
  const parts = days.map((value, index) => {
    const [, month, day] = (dates[index] ?? '').split('-')
    return `${day}/${month}: ${value === null ? 'não contado' : formatNumber(value)}`
  })
  return `Sete dias. ${parts.join(', ')}.`
}

const REFRESH_MS = 60_000

/** The site's day so far. */
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
  /** What the tags cost a visit; undefined where nobody measured. */
  budget?: string | undefined
  note?: string
  isBusy?: boolean
  children?: ReactNode
}

/** The wall that the figures stand on. It has its height before they come, so that the list under it never moves. */
function TodayFrame({ when, budget, note, isBusy = false, children }: TodayFrameProps) {
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
        {when ? <p className="text-[0.8125rem] text-on-ink-2">{when}</p> : null}
        {budget ? <p className="text-[0.8125rem] text-pretty text-on-ink-2 lg:ml-auto">{budget}</p> : null}
      </header>
      <div className="grid flex-1">{children}</div>
      {note ? (
        <>
          <p className="mt-3 hidden text-[0.8125rem]/5 text-pretty text-on-ink-2 sm:block">{note}</p>
          <details className="text-[0.8125rem]/5 text-on-ink-2 sm:hidden">
            <summary className="inline-flex min-h-11 cursor-pointer items-center underline underline-offset-4">
              O que estes números contam
            </summary>
            <p className="pb-2 text-pretty">{note}</p>
          </details>
        </>
      ) : null}
    </section>
  )
}
