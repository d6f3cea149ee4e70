import { Pencil, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Segment } from '#admin/components/chart-card.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { formatMoney, formatNumber, formatShortDay } from '#admin/lib/format.ts'
import { DAY_MS } from '#contract/durations.ts'
import { formatCount, formatShare } from '#contract/format-count.ts'
import type {
  OutcomeDeliveries,
  OutcomeDestination,
  OutcomeReport,
  OutcomeRow,
  OutcomeValue,
} from '#contract/outcomes.ts'
import type { Period } from './api.ts'
import { Deliveries } from './deliveries.tsx'

interface FiguresCardProps {
  report: OutcomeReport
  days: Period
  periods: readonly Period[]
  isOfBefore: boolean
  onDays: (days: Period) => void
  onDeclare: () => void
  onRename: (row: OutcomeRow) => void
  onChoose: (row: OutcomeRow, destination: OutcomeDestination, deliveries: OutcomeDeliveries) => void
}

/** Totals of the period, and a row for each declared name. */
export function FiguresCard(props: FiguresCardProps) {
  const { report, days, periods, isOfBefore, onDays, onDeclare, onRename, onChoose } = props
  const { rows, from, to } = report
  return (
    <Card role="region" aria-labelledby="outcomes-heading" aria-busy={isOfBefore}>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-3 sm:px-5">
        <div className="min-w-0 flex-[1_1_16rem]">
          <h3 id="outcomes-heading" className="text-base tracking-tight">
            {`De ${formatShortDay(from)} a ${formatShortDay(to)}`}
          </h3>
          <p className="text-sm text-pretty text-text-2">Cada resultado conta no dia em que aconteceu.</p>
          <SaibaMais about="sobre os números" topic="resultados">
            <p>
              <strong>Resultados:</strong> cada chamada aceita do seu sistema conta uma vez. As repetidas, com
              o mesmo id, não contam de novo.
            </p>
            <p>
              <strong>Valor:</strong> a soma do que o seu sistema informou, uma para cada moeda. O painel não
              confere esse valor com o banco nem com o financeiro.
            </p>
            <p>
              <strong>Ligados a uma visita:</strong> trouxeram o código de uma visita com consentimento.
            </p>
            <p>
              <strong>Plataformas:</strong> de cada resultado ligado a uma visita, uma plataforma recebe o que
              você escolher, e só se a pessoa aceitou a categoria do pixel. "Na fila" aguarda a próxima
              tentativa; "expirado" chegou tarde demais para a plataforma.
            </p>
            <p>
              <strong>Recusados:</strong> chegaram com um erro e não contam. O seu sistema recebe o motivo na
              resposta.
            </p>
          </SaibaMais>
        </div>
        <Segment
          label="Período"
          options={periods}
          current={days}
          labelOf={(each) => `${each} dias`}
          onChange={onDays}
        />
        <Button look="outline" onClick={onDeclare} className="max-sm:w-full">
          <Plus aria-hidden="true" />
          Criar resultado
        </Button>
      </header>
      <Totals report={report} />
      {rows.length === 0 ? (
        <EmptyState
          title="Nenhum resultado criado"
          text={
            'Crie o primeiro, como "Primeira venda". Só os que existem aqui são aceitos: chamadas com outro nome são recusadas.'
          }
          action={
            <Button onClick={onDeclare}>
              <Plus aria-hidden="true" />
              Criar o primeiro resultado
            </Button>
          }
        />
      ) : (
        <ul aria-label="Resultados por nome">
          {rows.map((row) => (
            <NameRow key={row.name} row={row} days={spanOf(report)} onRename={() => onRename(row)}>
              <Deliveries
                row={row}
                destinations={report.destinations}
                onChoose={(...chosen) => onChoose(row, ...chosen)}
              />
            </NameRow>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Totals({ report: { totals, rows } }: { report: OutcomeReport }) {
  const { count, tied, values, refused, duplicates } = totals
  const [first, ...others] = values
  return (
    <dl className="grid grid-cols-2 border-y border-line lg:grid-cols-4 lg:divide-x lg:divide-line">
      <Total name="Resultados" value={formatNumber(count)}>
        {formatCount(rows.length, 'nome', 'nomes')}
      </Total>
      <Total name="Valor" value={first === undefined ? 'nenhum' : formatMoney(first.total, first.currency)}>
        {others.length === 0 ? null : <MoreValues values={others} />}
      </Total>
      <Total name="Ligados a uma visita" value={count === 0 ? '0' : formatShare(tied, count)}>
        {`${formatNumber(tied)} de ${formatNumber(count)}`}
      </Total>
      <Total name="Recusados" value={formatNumber(refused)}>
        {duplicates === 0 ? 'nenhum repetido' : formatCount(duplicates, 'repetido', 'repetidos')}
      </Total>
    </dl>
  )
}

function Total({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className="min-w-0 px-4 py-3 max-lg:odd:border-r max-lg:odd:border-line max-lg:nth-[n+3]:border-t max-lg:nth-[n+3]:border-line sm:px-5">
      <dt className="text-sm text-text-2">{name}</dt>
      <dd>
        <span className="text-xl font-medium tracking-tight wrap-anywhere tabular-nums sm:text-2xl">
          {value}
        </span>
        {children === null ? null : <span className="block text-sm text-text-2">{children}</span>}
      </dd>
    </div>
  )
}

/** Amounts of two currencies are never added. */
function MoreValues({ values }: { values: readonly OutcomeValue[] }) {
  return values.map(({ currency, total }) => (
    <span key={currency} className="block tabular-nums">
      {`mais ${formatMoney(total, currency)}`}
    </span>
  ))
}

interface NameRowProps {
  row: OutcomeRow
  days: number
  onRename: () => void
  children: ReactNode
}

function NameRow({ row, days, onRename, children }: NameRowProps) {
  const { name, label, count, tied, values } = row
  return (
    <li className="grid grid-cols-2 gap-x-4 gap-y-3 border-b border-line px-4 py-4 last:border-b-0 sm:px-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)_minmax(0,4fr)_minmax(0,5fr)] lg:items-center">
      <div className="col-span-2 flex min-w-0 items-center gap-2 lg:col-span-1">
        <div className="min-w-0">
          <p className="font-semibold wrap-anywhere">{label}</p>
          <p className="font-mono text-[0.8125rem] wrap-anywhere text-text-2">{name}</p>
        </div>
        <IconButton label={`Renomear: ${label}`} onClick={onRename}>
          <Pencil aria-hidden="true" />
        </IconButton>
      </div>
      <p>
        <span className="block text-lg font-medium tabular-nums">{formatNumber(count)}</span>
        <span className="block text-sm text-text-2">{describePace(count, days)}</span>
      </p>
      <p className="tabular-nums">
        {values.length === 0 ? (
          <span className="text-text-2">sem valor</span>
        ) : (
          values.map(({ currency, total }) => (
            <span key={currency} className="block text-lg font-medium wrap-anywhere">
              {formatMoney(total, currency)}
            </span>
          ))
        )}
      </p>
      <div className="col-span-2 lg:col-span-1">
        <p className="text-sm">
          {count === 0
            ? 'nenhum no período'
            : `${formatNumber(tied)} de ${formatNumber(count)} ligados a uma visita (${formatShare(tied, count)})`}
        </p>
        <div aria-hidden="true" className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-line">
          <div className="h-full bg-ink" style={{ width: `${count === 0 ? 0 : (tied / count) * 100}%` }} />
        </div>
      </div>
      {children}
    </li>
  )
}

function describePace(count: number, days: number): string {
  if (count === 0) return 'no período'
  const perDay = count / days
  return perDay < 1 ? 'menos de 1 por dia' : `${formatNumber(Math.round(perDay))} por dia`
}

/** The days of the figures, which while another period loads are still those of the one before. */
function spanOf({ from, to }: OutcomeReport): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
}
