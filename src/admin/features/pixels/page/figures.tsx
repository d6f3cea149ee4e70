import { Card } from '#admin/components/card.tsx'
import { formatNumber } from '#admin/lib/format.ts'
import { CONVERSION_NAMES } from '#contract/conversions.ts'
import { type PixelCost, TAG_COST_DAYS } from '#contract/tag-cost.ts'
import { useConversions, useCost } from './api.ts'

/** Conversions that the page sent to the vendor. */
export function ConversionsCard({ pixelId }: { pixelId: string }) {
  const { data, isError } = useConversions(pixelId)
  return (
    <Card role="region" aria-labelledby="conversions-heading">
      <header className="px-4 pt-4 pb-2 sm:px-5">
        <h3 id="conversions-heading" className="text-base tracking-tight">
          Conversões
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Quantas vezes a página avisou a plataforma, nas últimas 24 horas e só em visitas com consentimento.
        </p>
      </header>
      {data === undefined ? (
        <p className="px-4 pb-5 text-sm text-text-2 sm:px-5">
          {isError ? 'Não deu para ler as conversões deste pixel.' : 'Carregando'}
        </p>
      ) : (
        <dl className="pb-2">
          {data.map(({ conversion, count }) => (
            <div
              key={conversion}
              className="flex items-baseline gap-4 border-t border-line px-4 py-3 first:border-t-0 sm:px-5"
            >
              <dt className="min-w-0 flex-1 text-[0.9375rem]">{CONVERSION_NAMES[conversion]}</dt>
              <dd className={count === 0 ? 'text-text-2 tabular-nums' : 'font-semibold tabular-nums'}>
                {formatNumber(count)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}

/** What the tag costs a visit, as far as browsers tell it; where none did, it has no figure. */
export function CostCard({ pixelId }: { pixelId: string }) {
  const { data, isError } = useCost(pixelId)
  const own = data?.own ?? null
  return (
    <Card role="region" aria-labelledby="cost-heading" aria-busy={data === undefined && !isError}>
      <header className="px-4 pt-4 pb-2 sm:px-5">
        <h3 id="cost-heading" className="text-base tracking-tight">
          Custo
        </h3>
        <p className="text-sm text-pretty text-text-2">
          {data === undefined
            ? isError
              ? 'Não deu para ler o custo deste pixel.'
              : 'Carregando'
            : own === null
              ? `Nenhuma visita mediu esta tag, como ela está agora, nos últimos ${TAG_COST_DAYS} dias.`
              : `Quanto ocupa o navegador em uma de cada quatro visitas (p75), de ${counted(own.visits)} nos últimos ${TAG_COST_DAYS} dias. São mínimos: o que o navegador não conta fica de fora.`}
        </p>
      </header>
      {data === undefined ? null : <Figures cost={data} />}
      <p className="px-4 pt-1 pb-4 text-sm text-pretty text-text-2 sm:px-5">
        Uma em cada dez visitas mede, e só em navegadores como o Chrome e o Edge; Firefox e Safari não
        informam isso.
      </p>
    </Card>
  )
}

function Figures({ cost: { own, all } }: { cost: PixelCost }) {
  const rows = [
    ...(own === null
      ? []
      : [
          ['Esta tag', milliseconds(own.ms)],
          ['Requisições desta tag', formatNumber(own.requests)],
        ]),
    ...(all === null
      ? []
      : [
          ['Todas as tags somam', milliseconds(all.ms)],
          ['Sem dono certo: de alguma tag ou da página', milliseconds(all.unattributed_ms)],
        ]),
  ]
  if (rows.length === 0) return null
  return (
    <dl className="grid lg:grid-cols-2">
      {rows.map(([label, value]) => (
        <div key={label} className="flex items-baseline gap-4 border-t border-line px-4 py-3 sm:px-5">
          <dt className="min-w-0 flex-1 text-[0.9375rem]">{label}</dt>
          <dd className="font-semibold whitespace-nowrap tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A browser lists no script under five milliseconds, and none in a frame that was not long. */
function milliseconds(ms: number): string {
  return ms === 0 ? 'nada longo' : `${formatNumber(ms)} ms`
}

function counted(visits: number): string {
  return visits === 1 ? 'uma visita medida' : `${formatNumber(visits)} visitas medidas`
}
