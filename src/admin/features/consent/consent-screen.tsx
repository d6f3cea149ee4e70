import { CsvButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { formatDate, formatNumber } from '#admin/lib/format.ts'
import { useFilter } from '#admin/lib/router.tsx'
import type { ConsentOverview } from '#contract/consent.ts'
import { PERIODS, type Period, rangeOf, useConsent, useSaveFigures } from './api.ts'
import { CHOICE_LABELS, CHOICE_STATES, ChoicesCard, sharesOf, sumChoices, wholeOf } from './choices-card.tsx'
import { CheckpointsCard, DossierCard } from './proof-cards.tsx'
import { ReceiptCard } from './receipt-card.tsx'

const VERB = 'Aceitaram '

/** A phone shows "Aceitaram tudo" without its verb. */
const NOTICE_COLUMNS = ['Respostas', ...CHOICE_STATES.map((state) => CHOICE_LABELS[state])].map((label) =>
  label.startsWith(VERB) ? [VERB, label.slice(VERB.length)] : ['', label],
)

const PERIOD_WORDS = { 7: '7', 28: '28', 90: '90' } as const satisfies Record<Period['days'], string>

/** Choices, wordings, and their proof. */
export function ConsentScreen() {
  const [days, setDays] = useFilter('dias', PERIOD_WORDS, '28')
  const period = PERIODS.find((each) => String(each.days) === days) ?? PERIODS[1]
  const consent = useConsent(period)
  const save = useSaveFigures()
  return (
    <>
      <PageHeading
        title="Consentimento"
        subtitle="Veja as respostas ao aviso de cookies e gere provas para auditoria."
        action={<CsvButton isPending={save.isPending} onSave={() => save.mutate(rangeOf(period))} />}
      />
      <QueryView
        query={consent}
        failure="Não foi possível carregar o consentimento."
        loading={
          <Card aria-busy>
            <LoadingLines label="Carregando o consentimento" className="h-56 w-full" />
          </Card>
        }
        frame={(said) => <Card className="mb-4">{said}</Card>}
      >
        {(overview) => (
          <Loaded
            overview={overview}
            period={period}
            isOfBefore={consent.isPlaceholderData}
            onPeriod={(each) => setDays(`${each.days}`)}
          />
        )}
      </QueryView>
    </>
  )
}

interface LoadedProps {
  overview: ConsentOverview
  period: Period
  /** The figures belong to the previous period; the chosen one is loading. */
  isOfBefore: boolean
  onPeriod: (period: Period) => void
}

function Loaded({ overview, period, isOfBefore, onPeriod }: LoadedProps) {
  const { counts, notices, seals, recent } = overview
  const isUnused = seals.last === null && seals.waiting === 0
  return (
    <div className="grid gap-4">
      {isUnused ? (
        <Card>
          <EmptyState
            title="Nenhuma resposta ao aviso ainda"
            text="Quando alguém aceitar, recusar ou ajustar os cookies no site, a resposta aparece aqui em cerca de 1 minuto."
            lesson="O aviso só aparece no site quando há um pixel ativo que depende de consentimento."
          />
        </Card>
      ) : (
        <ChoicesCard overview={overview} period={period} onPeriod={onPeriod} isOfBefore={isOfBefore} />
      )}
      <div className="grid items-start gap-4 min-[1200px]:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        <NoticesCard counts={counts} notices={notices} />
        <ReceiptCard />
        <CheckpointsCard seals={seals} recent={recent} />
        <DossierCard start={rangeOf(PERIODS[1])} />
      </div>
    </div>
  )
}

/** Choices per wording, and the texts. */
function NoticesCard({ counts, notices }: Pick<ConsentOverview, 'counts' | 'notices'>) {
  const versions = [
    ...new Set([...notices.map(({ version }) => version), ...counts.map(({ text_version }) => text_version)]),
  ].sort((a, b) => b - a)
  const newest = notices[0]
  return (
    <Card role="region" aria-labelledby="notices-heading" className="flex flex-col">
      <header className="px-4 pt-4 pb-3 sm:px-5">
        <h3 id="notices-heading" className="text-base tracking-tight">
          Versões do aviso de cookies
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Guardamos o texto exato de cada versão. Os números são do período escolhido acima.
        </p>
        <SaibaMais about="sobre as versões do aviso" topic="aviso de cookies">
          <p>Cada texto tem um código de verificação (sha256), que prova que ele não mudou.</p>
        </SaibaMais>
      </header>
      <section
        aria-label="Respostas por versão do aviso"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
        tabIndex={0}
        className="overflow-x-auto focus-visible:outline-offset-[-4px]"
      >
        <table className="w-full border-separate border-spacing-0 text-sm tabular-nums">
          <thead className="text-[0.8125rem] text-text-2">
            <tr>
              <th
                scope="col"
                className="border-b border-line py-2 pr-1 pl-4 text-left font-medium sm:pr-3 sm:pl-5"
              >
                Versão
              </th>
              {NOTICE_COLUMNS.map(([verb, label]) => (
                <th
                  key={label}
                  scope="col"
                  className="border-b border-line px-1 py-2 text-right sm:px-2 font-medium last:pr-4 sm:last:pr-5"
                >
                  <span className="max-sm:sr-only">{verb}</span>
                  <span className="max-sm:inline-block max-sm:first-letter:uppercase">{label}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => {
              const choices = sumChoices(counts.filter(({ text_version }) => text_version === version))
              const shares = sharesOf(choices)
              const notice = notices.findLast((each) => each.version === version)
              return (
                <tr key={version}>
                  <th scope="row" className="border-b border-line py-2.5 pr-1 pl-4 text-left sm:pr-3 sm:pl-5">
                    {`Versão ${version}`}
                    <span className="block font-normal text-text-2">
                      {notice === undefined
                        ? 'texto indisponível'
                        : `desde ${formatDate(notice.first_served_at)}`}
                    </span>
                  </th>
                  <td className="border-b border-line px-1 py-2.5 text-right sm:px-2">
                    {formatNumber(wholeOf(choices))}
                  </td>
                  {CHOICE_STATES.map((state) => (
                    <td
                      key={state}
                      className="border-b border-line px-1 py-2.5 text-right sm:px-2 last:pr-4 sm:last:pr-5"
                    >
                      {shares[state] || '0%'}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      {newest === undefined ? null : (
        <details className="px-4 py-3 sm:px-5">
          <summary className="flex min-h-11 cursor-pointer items-center text-[0.9375rem] font-semibold underline decoration-1 underline-offset-4">
            {`Ver o texto da versão ${newest.version}`}
          </summary>
          <p className="pb-2 font-mono text-xs wrap-anywhere text-text-2">{`sha256 ${newest.hash}`}</p>
          <p className="rounded-1 bg-paper px-4 py-3 text-sm whitespace-pre-line">{newest.text}</p>
        </details>
      )}
    </Card>
  )
}
