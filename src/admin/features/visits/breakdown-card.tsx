import { type ReactNode, useId } from 'react'
import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { CELL, LABELLED_CELL, ListTable, ROW } from '#admin/components/table.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatMoney, formatPerHundred } from '#admin/lib/format.ts'
import { formatShares } from '#contract/format-count.ts'
import {
  FEW,
  nameOfValue,
  type VisitedPage,
  type VisitReport,
  type VisitRow,
} from '#contract/visit-report.ts'
import { BREAKDOWNS, type Breakdown, ENOUGH_FOR_RATE, type Filter, formatCell } from './api.ts'

interface BreakdownCardProps {
  report: VisitReport
  breakdown: Breakdown
  onBreakdown: (breakdown: Breakdown) => void
  onChoose: (filter: Filter) => void
  /** Its filter, if there is one. */
  chosen: Filter | undefined
  /** The rows belong to another breakdown; the chosen one is loading. */
  isOfBefore: boolean
}

/** Where visits came from, or on what. A row filters the whole screen. */
export function BreakdownCard(props: BreakdownCardProps) {
  const { report, breakdown, onBreakdown, onChoose, chosen, isOfBefore } = props
  return (
    <Card role="region" aria-label="De onde vieram" aria-busy={isOfBefore}>
      <fieldset
        aria-label="Separar por"
        className="flex gap-1 overflow-x-auto border-b border-line px-2 sm:px-3"
      >
        {BREAKDOWNS.map((each) => (
          <button
            key={each.by}
            type="button"
            aria-pressed={each === breakdown}
            onClick={() => onBreakdown(each)}
            className={cn(
              'min-h-12 flex-none border-b-2 px-2 text-[0.9375rem] focus-visible:outline-offset-[-4px]',
              each === breakdown
                ? 'border-ink font-semibold'
                : 'border-transparent text-text-2 hover:text-ink',
            )}
          >
            {each.many}
          </button>
        ))}
      </fieldset>
      <div inert={isOfBefore} className={cn(isOfBefore && 'opacity-40')}>
        <Rows report={report} breakdown={breakdown} onChoose={chosen === undefined ? onChoose : null} />
      </div>
    </Card>
  )
}

const LABELS = ['Visitas', 'Visitantes', 'Abrir Conta', 'Especialista'] as const
const RESULTS = 'Resultados'

interface RowsProps {
  report: VisitReport
  breakdown: Breakdown
  /** Null if there is nothing left to choose. */
  onChoose: ((filter: Filter) => void) | null
}

function Rows({ report, breakdown, onChoose }: RowsProps) {
  const { rows, totals } = report
  if (rows.length === 0)
    return <EmptyState title="Nenhuma visita neste período" text="Escolha um período maior para comparar." />
  const hasResults = rows.some(({ results }) => results !== undefined && results !== 0)
  const most = Math.max(1, ...rows.map(({ visits }) => visits ?? 0))
  const counted = rows.filter(({ visits }) => visits)
  const shares = formatShares(
    counted.map(({ visits }) => visits ?? 0),
    totals.visits ?? 0,
  )
  const shareOf = new Map(counted.map(({ key }, index) => [key, shares[index]]))
  const nameOf = (key: string) => nameOfValue(breakdown.by, key)
  return (
    <>
      <ListTable
        label={`Visitas por ${breakdown.one.toLowerCase()}`}
        columns={[
          { label: breakdown.one, className: hasResults ? 'w-[20%] @min-[54rem]:w-[26%]' : 'w-[34%]' },
          ...LABELS.map((label) => ({ label, className: 'text-right' })),
          ...(hasResults ? [{ label: RESULTS, className: 'w-[17%] @min-[54rem]:w-[19%] text-right' }] : []),
        ]}
        items={rows.map((row) => ({ ...row, id: row.key }))}
        rowClassName={() => cn(ROW, 'card:grid-cols-3 card:pr-4')}
        renderCells={(row) => (
          <>
            <td className={cn(CELL, 'card:col-span-full')}>
              {onChoose === null ? (
                <span className="block font-semibold wrap-anywhere">{nameOf(row.key)}</span>
              ) : (
                <button
                  type="button"
                  className="-my-1 block min-h-11 w-full py-1.5 text-left font-semibold wrap-anywhere underline-offset-4 hover:underline sm:min-h-9"
                  onClick={() => onChoose({ of: breakdown, value: row.key })}
                >
                  {nameOf(row.key)}
                  <span className="sr-only">: ver só estas visitas</span>
                </button>
              )}
              <Bar share={(row.visits ?? 0) / most} />
            </td>
            <NumberCell label={LABELS[0]}>
              {formatCell(row.visits)}
              {shareOf.get(row.key) ? <Detail>{shareOf.get(row.key)}</Detail> : null}
            </NumberCell>
            <NumberCell label={LABELS[1]}>{formatCell(row.visitors)}</NumberCell>
            <NumberCell label={LABELS[2]}>
              {formatCell(row.clicks.lead)}
              <Detail>{describeRate(row)}</Detail>
            </NumberCell>
            <NumberCell label={LABELS[3]}>{formatCell(row.clicks.contact)}</NumberCell>
            {hasResults ? (
              <NumberCell label={RESULTS}>
                {formatCell(row.results ?? null)}
                {row.values?.map(({ currency, total }) => (
                  <Detail key={currency}>{formatMoney(total, currency)}</Detail>
                ))}
              </NumberCell>
            ) : null}
          </>
        )}
      />
      <p className="border-t border-line px-4 py-3.5 text-sm text-text-2 sm:px-5">
        {onChoose === null
          ? 'Cada visita está em uma linha só.'
          : 'Clique em uma linha para filtrar a tela por ela.'}
        {' Abrir Conta e Especialista são cliques; "por 100" é por 100 visitas.'}
        {hasResults ? ' Resultados são os ligados a uma visita, no dia em que aconteceram.' : ''}
        {hasFew(rows) ? ` Números de 1 a 4 aparecem como "${FEW}", para não descrever uma pessoa.` : ''}
      </p>
    </>
  )
}

/** How often each page was opened; nothing on a site with one page. */
export function PagesCard({ pages, isOfBefore }: { pages: readonly VisitedPage[]; isOfBefore: boolean }) {
  const id = useId()
  if (pages.length < 2) return null
  const most = Math.max(1, ...pages.map(({ views }) => views ?? 0))
  return (
    <Card role="region" aria-labelledby={id} className="px-4 py-4 sm:px-5">
      <h3 id={id} className="text-base tracking-tight">
        Páginas abertas
      </h3>
      <p className="mt-1 text-sm text-text-2">
        Uma visita pode abrir várias páginas, e abrir de novo conta de novo.
      </p>
      <ol inert={isOfBefore} className={cn('mt-4 grid gap-4', isOfBefore && 'opacity-40')}>
        {pages.map(({ path, views }) => (
          <li key={path}>
            <span className="flex flex-wrap items-baseline justify-between gap-x-4">
              <span className="min-w-0 font-semibold wrap-anywhere">
                {path === '/' ? 'Página inicial' : path}
              </span>
              <span className="tabular-nums">{formatCell(views)}</span>
            </span>
            <Bar share={(views ?? 0) / most} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Bar({ share }: { share: number }) {
  return (
    <span aria-hidden="true" className="block h-1.5 rounded-full bg-[#eceee6]">
      <span className="bar-all block h-full min-w-0.5 rounded-full" style={{ width: `${share * 100}%` }} />
    </span>
  )
}

function hasFew(rows: readonly VisitRow[]): boolean {
  return rows.some(({ visits, visitors, clicks, results = 0 }) =>
    [visits, visitors, clicks.lead, clicks.contact, results].includes(null),
  )
}

function describeRate({ visits, clicks }: VisitRow): string {
  if (visits === null || visits < ENOUGH_FOR_RATE) return 'poucas visitas'
  return clicks.lead === null ? 'poucos cliques' : `${formatPerHundred(clicks.lead, visits)} por 100`
}

function NumberCell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td
      data-label={label}
      className={cn(
        LABELLED_CELL,
        'tabular-nums not-card:text-right not-card:whitespace-nowrap not-card:last:pr-6',
      )}
    >
      {children}
    </td>
  )
}

function Detail({ children }: { children: ReactNode }) {
  return <span className="block text-[0.8125rem] text-text-2">{children}</span>
}
