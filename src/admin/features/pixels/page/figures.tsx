import { Card } from '#admin/components/card.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { formatNumber } from '#admin/lib/format.ts'
import { CONVERSION_NAMES } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'
import type { PixelCost } from '#contract/tag-cost.ts'
import { TAG_COST_DAYS } from '#contract/tag-status.ts'
import { useConversions, useCost } from './api.ts'

/** Conversions that the page sent to the vendor. */
export function ConversionsCard({ pixelId }: { pixelId: string }) {
  const conversions = useConversions(pixelId)
  return (
    <Card role="region" aria-labelledby="conversions-heading" aria-busy={conversions.isPending}>
      <header className="px-4 pt-4 pb-2 sm:px-5">
        <h3 id="conversions-heading" className="text-base tracking-tight">
          Conversões
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Conversões que a página enviou à plataforma nas últimas 24 horas. Conta só visitas com
          consentimento.
        </p>
      </header>
      <QueryView
        query={conversions}
        look="line"
        failure="Não foi possível carregar as conversões."
        loading={<LoadingLines label="Carregando" />}
      >
        {(data) => (
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
      </QueryView>
    </Card>
  )
}

/** What the tag costs a visit, as far as browsers tell it; where none did, it has no figure. */
export function CostCard({ pixelId }: { pixelId: string }) {
  const cost = useCost(pixelId)
  return (
    <Card role="region" aria-labelledby="cost-heading" aria-busy={cost.isPending}>
      <h3 id="cost-heading" className="px-4 pt-4 text-base tracking-tight sm:px-5">
        Impacto na velocidade
      </h3>
      <QueryView
        query={cost}
        look="line"
        failure="Não foi possível carregar o impacto na velocidade."
        loading={<LoadingLines label="Carregando" />}
      >
        {(data) => (
          <>
            <p className="px-4 pb-2 text-sm text-pretty text-text-2 sm:px-5">{describeCost(data)}</p>
            <Figures cost={data} />
          </>
        )}
      </QueryView>
      <SaibaMais
        about="sobre o impacto na velocidade"
        topic="impacto na velocidade"
        className="px-4 pt-1 pb-3 sm:px-5"
      >
        <p>
          Em 1 de cada 4 visitas medidas, o tempo é esse ou maior (p75). O valor real pode ser maior, porque o
          navegador não informa tarefas curtas.
        </p>
        <p>
          Medimos 1 em cada 10 visitas, em navegadores como Chrome e Edge. Firefox e Safari não informam esse
          dado.
        </p>
      </SaibaMais>
    </Card>
  )
}

function describeCost({ own }: PixelCost): string {
  return own === null
    ? `Ainda não há medições da versão atual desta tag nos últimos ${TAG_COST_DAYS} dias.`
    : `Tempo que a tag ocupa o navegador, com base em ${formatCount(own.visits, 'visita medida', 'visitas medidas')} nos últimos ${TAG_COST_DAYS} dias.`
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
          ['Todas as tags juntas', milliseconds(all.ms)],
          ['Origem não identificada (tags ou página)', milliseconds(all.unattributed_ms)],
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

/** Browsers list no script below five milliseconds, and none outside of long frames. */
function milliseconds(ms: number): string {
  return ms === 0 ? 'sem lentidão medida' : `${formatNumber(ms)} ms`
}
