import { QuietButton } from '#admin/components/quiet-button.tsx'
import { CONSENT_PATH, PROBLEMS_PATH, SUBSCRIPTIONS_PATH } from '#admin/lib/places.ts'
import type { TodayFigure as Figure, Today, TodayFigureName } from '#contract/visit-results.ts'
import { ChoiceBar } from './choice-bar.tsx'
import {
  count,
  dateAndTimeOf,
  dayOf,
  describeCost,
  readOut,
  share,
  timeOf,
  untilOf,
} from './describe-today.ts'
import { useToday } from './read-today.ts'
import { Sparkline } from './sparkline.tsx'
import { TodayFigure } from './today-figure.tsx'
import { TodayFrame } from './today-frame.tsx'

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
      when={`${dayOf(today.data.until)}, até ${timeOf(today.data.until)}`}
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
  ['subscriptions', 'Inscrições', SUBSCRIPTIONS_PATH],
]

function Figures({ today, problems }: { today: Today; problems: number | undefined }) {
  const { choices, accepted, refused, dates } = today
  const acceptedShare = share(accepted.today, choices.today)
  const refusedShare = share(refused.today, choices.today)
  const before = share(accepted.yesterday, choices.yesterday)
  return (
    <ul className="-mx-2 grid grid-cols-2 content-evenly gap-y-1 sm:grid-cols-3 sm:gap-y-3 lg:grid-cols-6">
      <Counted label="Visitas que escolheram" figure={choices} dates={dates} path={CONSENT_PATH} />
      <TodayFigure
        label="Aceitaram tudo"
        path={CONSENT_PATH}
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
            label={`De ${count(choices.today)}: ${count(accepted.today ?? 0)} aceitaram tudo, ${count(choices.today - (accepted.today ?? 0) - (refused.today ?? 0))} em parte, ${count(refused.today ?? 0)} recusaram.`}
          />
        ) : null}
      </TodayFigure>
      {COUNTED.map(([name, label, path]) => (
        <Counted
          key={name}
          label={label}
          figure={today[name]}
          dates={dates}
          {...(path === undefined ? {} : { path })}
        />
      ))}
      <TodayFigure
        label="Tags com problema"
        value={problems === undefined ? null : count(problems)}
        under="agora"
        path={PROBLEMS_PATH}
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
    <TodayFigure
      label={label}
      value={figure.today === undefined ? null : count(figure.today)}
      under={figure.yesterday === undefined ? 'ontem: não medido' : `ontem ${count(figure.yesterday)}`}
      {...(path === undefined ? {} : { path })}
    >
      <Sparkline days={figure.days} label={readOut(figure, dates)} />
    </TodayFigure>
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
