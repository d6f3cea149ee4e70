import { formatMinute } from '#admin/lib/format-date.ts'
import {
  type ConsentState,
  type EvidenceRecord,
  type FoundRecord,
  TAG_CATEGORY_LABELS,
} from '#contract/consent.ts'

const NUMBER = new Intl.NumberFormat('pt-BR')
const STATES: Record<ConsentState, string> = {
  accepted: 'Aceitou tudo',
  partial: 'Aceitou em parte',
  refused: 'Recusou',
}

/** One choice, as it was recorded. */
export function FoundReceipt({ found: { record, leaf } }: { found: FoundRecord }) {
  const given = givenBy(record)
  const facts: [string, string][] = [
    [
      'Escolha',
      record.event === 'revoke' ? `${STATES[record.state]} (mudou de ideia)` : STATES[record.state],
    ],
    ...(record.state === 'partial' ? [['Aceitou', given] as [string, string]] : []),
    ['Quando', formatMinute(record.recorded_at)],
    ['Aviso', `versão ${record.notice.version}`],
    ['Selo', leaf === null ? 'aguarda o próximo, em cerca de um minuto' : `nº ${NUMBER.format(leaf.seal)}`],
  ]
  return (
    <dl className="text-[0.9375rem]">
      {facts.map(([term, fact]) => (
        <div key={term} className="flex items-baseline gap-2.5 border-b border-line py-1.5">
          <dt>{term}</dt>
          <span aria-hidden="true" className="min-w-4 flex-1" />
          <dd className="text-right font-semibold">{fact}</dd>
        </div>
      ))}
    </dl>
  )
}

function givenBy({ purposes }: EvidenceRecord): string {
  const names = purposes
    .filter(({ status }) => status === 'given')
    .map(({ purpose }) => TAG_CATEGORY_LABELS[purpose])
  return names.length === 0 ? 'nada' : names.join(', ')
}
