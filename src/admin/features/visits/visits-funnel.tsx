import { formatPerHundred } from '#admin/lib/format.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Cell, VisitReport } from '#contract/visit-report.ts'
import { ENOUGH_FOR_RATE, formatCell } from './api.ts'

type Totals = VisitReport['totals']

interface Step {
  name: string
  note: string
  value: Cell
  /** What the bar is a part of; null for the first step. */
  of: { value: Cell; one: string; many: string } | null
}

/** From the visit to the outcome, each step as a part of the one before, and what else happened in the visits. */
export function VisitsFunnel({ totals }: { totals: Totals }) {
  const { visits, clicks, results, subscriptions } = totals
  const ofVisits = { value: visits, one: 'visita', many: 'visitas' }
  const steps: Step[] = [
    { name: 'Visitas', note: 'todas, sem cookies', value: visits, of: null },
    { name: 'Abrir Conta', note: 'cliques', value: clicks.lead, of: ofVisits },
  ]
  if (results !== undefined)
    steps.push({
      name: 'Resultados',
      note: 'ligados a uma visita',
      value: results,
      of: { value: clicks.lead, one: 'clique', many: 'cliques' },
    })
  const beside: Step[] = [
    { name: 'Especialista', note: 'cliques', value: clicks.contact, of: ofVisits },
    ...(subscriptions === null
      ? []
      : [{ name: 'Inscrições', note: 'e-mails novos', value: subscriptions, of: ofVisits }]),
  ]
  return (
    <div className="px-4 pt-4 pb-5 sm:px-5">
      <p className="text-[0.8125rem]/5 text-pretty text-text-2">
        Da visita ao resultado. Cada barra é uma parte da anterior. Uma pessoa pode clicar duas vezes, e um
        resultado pode ser de uma visita de antes.
      </p>
      <Steps label="Funil" steps={steps} />
      {results === undefined ? (
        <p className="mt-3 text-[0.8125rem]/5 text-pretty text-text-2">
          Os resultados não aparecem com este filtro: deles sabemos só o canal e a campanha.
        </p>
      ) : null}
      <h4 className="mt-5 border-t border-line pt-4 text-sm font-semibold">
        Também aconteceu nessas visitas
      </h4>
      <Steps label="Também aconteceu nessas visitas" steps={beside} />
    </div>
  )
}

function Steps({ label, steps }: { label: string; steps: readonly Step[] }) {
  return (
    <ol aria-label={label} className="mt-3 grid gap-4">
      {steps.map(({ name, note, value, of }) => (
        <li key={name} className="grid grid-cols-[1fr_auto] items-baseline gap-x-4 gap-y-1">
          <p className="text-sm">
            <b className="font-semibold">{name}</b> <span className="text-text-2">{note}</span>
          </p>
          <p className="text-right text-lg font-medium tabular-nums">{formatCell(value)}</p>
          <div aria-hidden="true" className="col-span-2 h-3 overflow-hidden rounded-full bg-paper">
            <div className="bar-all h-full rounded-full" style={{ width: `${partOf(value, of)}%` }} />
          </div>
          {of === null ? null : (
            <p className="col-span-2 text-[0.8125rem]/5 text-text-2">{describePart(value, of)}</p>
          )}
        </li>
      ))}
    </ol>
  )
}

/** In percent; there may be more of a step than of the one before. */
function partOf(value: Cell, of: Step['of']): number {
  if (of === null) return 100
  return value && of.value ? Math.min(100, (value / of.value) * 100) : 0
}

function describePart(value: Cell, of: NonNullable<Step['of']>): string {
  const { value: whole, one, many } = of
  if (value === null || whole === null) return `de ${formatCell(whole)} ${many}`
  return whole < ENOUGH_FOR_RATE
    ? `de ${formatCount(whole, one, many)}`
    : `${formatPerHundred(value, whole)} por 100 ${many}`
}
