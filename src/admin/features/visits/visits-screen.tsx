import { X } from 'lucide-react'
import { Button, CsvButton, QuietButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState, MessageBox } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { formatList, formatShortDay } from '#admin/lib/format.ts'
import { useServices } from '#admin/lib/services.tsx'
import { nameOfValue } from '#contract/visit-report.ts'
import {
  type Breakdown,
  type DayRange,
  describeAsked,
  type Filter,
  type Period,
  rangeBefore,
  rangeOf,
  stepOf,
  useBreakdown,
  useFilters,
  usePeriod,
  useSaveVisits,
  useVisits,
  useVisitsBefore,
  type Visits,
} from './api.ts'
import { BreakdownCard, PagesCard } from './breakdown-card.tsx'
import { formatSince, VisitsCard } from './visits-card.tsx'

/** Visits and clicks of everybody, over time and by where they came from. */
export function VisitsScreen() {
  const [period, setPeriod] = usePeriod()
  const { filters, add, remove } = useFilters()
  const [by, setBy] = useBreakdown(filters)
  const range = rangeOf(period)
  const wanted = { range, step: stepOf(period, filters), filters, by }
  const visits = useVisits(wanted)
  const save = useSaveVisits()
  const isEmpty = visits.data !== undefined && visits.data.rows.length === 0
  return (
    <>
      <PageHeading
        title="Visitas"
        subtitle="De onde vêm e o que fazem no site. Contadas sem cookies."
        action={isEmpty ? null : <CsvButton isPending={save.isPending} onSave={() => save.mutate(wanted)} />}
      />
      <FilterChips filters={filters} onRemove={remove} />
      <QueryView
        query={visits}
        failure="Não foi possível carregar as visitas."
        loading={
          <Card aria-busy>
            <LoadingLines label="Carregando as visitas" className="h-80 w-full" />
          </Card>
        }
        frame={(said) => <Card className="mb-4">{said}</Card>}
      >
        {(report) => (
          <Loaded
            report={report}
            period={period}
            onPeriod={setPeriod}
            range={range}
            filters={filters}
            by={by}
            onBy={setBy}
            onFilter={add}
            onClear={() => remove(filters)}
            isOfBefore={report.asked !== describeAsked(wanted)}
            isRefreshed={visits.isPlaceholderData}
          />
        )}
      </QueryView>
    </>
  )
}

interface FilterChipsProps {
  filters: readonly Filter[]
  onRemove: (removed: readonly Filter[]) => void
}

function FilterChips({ filters, onRemove }: FilterChipsProps) {
  if (filters.length === 0) return null
  return (
    <ul aria-label="Filtros" className="mb-4 flex flex-wrap items-center gap-2">
      {filters.map((filter) => {
        const name = nameOfValue(filter.of.by, filter.value)
        return (
          <li key={filter.of.by} className="max-w-full">
            <button
              type="button"
              aria-label={`Remover o filtro ${filter.of.one}: ${name}`}
              onClick={() => onRemove([filter])}
              className="on-ink inline-flex min-h-11 max-w-full items-center gap-2.5 rounded-1 py-1.5 pr-3 pl-4 text-sm [&_svg]:size-4 [&_svg]:flex-none"
            >
              <span className="min-w-0 text-left wrap-anywhere">
                {filter.of.one}: <b className="font-semibold">{name}</b>
              </span>
              <X aria-hidden="true" />
            </button>
          </li>
        )
      })}
      {filters.length > 1 ? (
        <li>
          <QuietButton onClick={() => onRemove(filters)}>Limpar filtros</QuietButton>
        </li>
      ) : null}
    </ul>
  )
}

interface LoadedProps {
  report: Visits
  period: Period
  onPeriod: (period: Period) => void
  range: DayRange
  filters: readonly Filter[]
  by: Breakdown
  onBy: (breakdown: Breakdown) => void
  onFilter: (filter: Filter) => void
  onClear: () => void
  /** The figures belong to another period or filter; the chosen one is loading. */
  isOfBefore: boolean
  /** Only another breakdown is loading. */
  isRefreshed: boolean
}

function Loaded(props: LoadedProps) {
  const { report, period, onPeriod, range, filters, by, onBy, onFilter, onClear, isOfBefore } = props
  const step = stepOf(period, filters)
  const isEmpty = report.since === null || (filters.length === 0 && isWithoutVisits(report))
  const before = useVisitsBefore({
    range: isEmpty ? null : rangeBefore(range, period),
    step,
    filters,
    by,
  })
  if (report.since === null || (isEmpty && isNew(report, range))) return <FirstVisit report={report} />
  const hasNoRows = filters.length > 0 && report.rows.length === 0 && !isOfBefore
  return (
    <div className="grid gap-4">
      <Warnings report={report} />
      {hasNoRows ? (
        <Card>
          <EmptyState
            title="Nenhuma visita com esses filtros"
            text="Remova um filtro ou escolha outro período."
            action={
              <Button look="outline" onClick={onClear}>
                Limpar filtros
              </Button>
            }
          />
        </Card>
      ) : (
        <>
          <VisitsCard
            report={report}
            before={before.data}
            period={period}
            range={range}
            step={step}
            isOfBefore={isOfBefore}
            onPeriod={onPeriod}
          />
          <BreakdownCard
            report={report}
            breakdown={by}
            onBreakdown={onBy}
            onChoose={onFilter}
            chosen={filters.find(({ of }) => of === by)}
            isOfBefore={isOfBefore || props.isRefreshed}
          />
          <PagesCard pages={report.pages} isOfBefore={isOfBefore} />
        </>
      )}
    </div>
  )
}

function isWithoutVisits({ totals }: Visits): boolean {
  return totals.visits === 0 && totals.views === 0
}

/** Counting began in this period. */
function isNew({ since }: Visits, { from }: DayRange): boolean {
  return since !== null && since.slice(0, 10) >= from
}

function FirstVisit({ report: { is_on: isOn, since } }: { report: Visits }) {
  const { siteUrl } = useServices().boot
  return (
    <Card>
      {isOn ? (
        <EmptyState
          title="A primeira visita aparece aqui"
          text={
            since === null
              ? 'A contagem acabou de começar, e ainda não há visitas.'
              : `Contamos desde ${formatSince(since)} e ainda não há visitas.`
          }
          lesson="Quer ver como fica? Abra o site em outra aba: a sua visita conta."
          action={
            <a className="button button-outline" href={siteUrl} target="_blank" rel="noreferrer">
              Abrir o site
            </a>
          }
        />
      ) : (
        <EmptyState
          title="A contagem de visitas está desativada"
          text="Para ativar, a equipe de TI remove VISIT_COUNTS=off e reinicia o Pórtico."
          lesson="A contagem não usa cookies e não guarda quem veio."
        />
      )}
    </Card>
  )
}

function Warnings({ report }: { report: Visits }) {
  const { is_on: isOn, hides_addresses: hides, estimated_days: days } = report
  if (isOn && !hides && days.length === 0) return null
  return (
    <div className="grid gap-2">
      {isOn ? null : (
        <MessageBox look="info">
          A contagem de visitas está desativada no servidor (VISIT_COUNTS=off). Abaixo está o que foi contado
          antes.
        </MessageBox>
      )}
      {hides ? (
        <MessageBox
          look="warn"
          advice="A equipe de TI pode corrigir com TRUST_PROXY. As aberturas de página e os cliques estão certos."
        >
          Os visitantes não podem ser diferenciados: um proxy esconde o endereço da maioria deles, e várias
          pessoas contam como uma só.
        </MessageBox>
      ) : null}
      {days.length === 0 ? null : (
        <MessageBox look="info">
          {`Visitas e visitantes de ${formatList(days.map(formatShortDay))} são uma estimativa: o banco de dados parou de repente nesse dia, e parte das pessoas pode ter sido contada duas vezes.`}
        </MessageBox>
      )}
    </div>
  )
}
