import { formatShare } from '#contract/format-count.ts'
import type { LedgerSet, SetSum } from './ledger-series.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

/** The legend, which is the sum: what each part is and what they come to, of the whole period or of one column. */
export function LedgerTotal({ set, sum, title }: { set: LedgerSet; sum: SetSum; title: string }) {
  const { parts, total } = sum
  return (
    <div className="text-[0.9375rem]">
      <p className="pb-2 text-sm text-text-2 first-letter:uppercase">{title}</p>
      <dl>
        {set.series.map(({ key, label, colour }) => (
          <div key={key} className="flex items-baseline gap-2.5 py-1.5">
            <dt className="flex items-baseline gap-2.5 whitespace-nowrap">
              <span aria-hidden="true" className={`h-3 w-2.5 rounded-t-full ${colour}`} />
              {label}
            </dt>
            <span
              aria-hidden="true"
              className="min-w-4 flex-1 -translate-y-1 border-b border-dotted border-line-2"
            />
            <dd className="font-semibold whitespace-nowrap tabular-nums">{format(parts[key])}</dd>
            {total === null ? null : (
              <dd className="w-11 text-right text-sm text-text-2 tabular-nums">{share(parts[key], total)}</dd>
            )}
          </div>
        ))}
        <div className="mt-1 flex items-baseline gap-2.5 border-t-2 border-b-4 border-double border-ink py-2 font-semibold">
          <dt className="whitespace-nowrap">{set.totalLabel}</dt>
          <span aria-hidden="true" className="flex-1" />
          <dd className="whitespace-nowrap tabular-nums">{format(total)}</dd>
          {total === null ? null : <span aria-hidden="true" className="w-11" />}
        </div>
      </dl>
      {total === null && set.needsAll ? (
        <p className="pt-2 text-sm text-text-2">
          Recusas não eram contadas em parte deste período, então não há total.
        </p>
      ) : null}
    </div>
  )
}

function format(count: number | null | undefined): string {
  return count === null || count === undefined ? 'não medido' : NUMBER.format(count)
}

/** Of the whole; nothing where there is none. */
function share(count: number | null | undefined, total: number): string {
  return count === null || count === undefined ? '' : formatShare(count, total)
}
