import { Card } from '#admin/components/card.tsx'
import { CONVERSION_NAMES } from '#contract/conversions.ts'
import { useConversions } from './read-ledger.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')

/** What visitors did, as far as the page told the vendor of it. */
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
                {NUMBER.format(count)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}
