import { useState } from 'react'
import { Card } from '#admin/components/card.tsx'
import { CsvButton } from '#admin/components/csv-button.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import type { ConsentOverview } from '#contract/consent.ts'
import { ChoicesCard } from './choices-card.tsx'
import { DossierCard } from './dossier-card.tsx'
import { useSaveFigures } from './download-files.ts'
import { NoticesCard } from './notices-card.tsx'
import { PERIODS, type Period, rangeOf, useConsent } from './read-consent.ts'
import { ReceiptCard } from './receipt-card.tsx'
import { SealsCard } from './seals-card.tsx'

/** What people chose, with which words, and the proof that nothing was changed since. */
export function ConsentScreen() {
  const [period, setPeriod] = useState<Period>(PERIODS[1])
  const consent = useConsent(period)
  const save = useSaveFigures()
  return (
    <>
      <PageHeading
        title="Consentimento"
        subtitle="O que as pessoas escolheram, com que aviso, e a prova de que nada mudou depois."
        action={<CsvButton isPending={save.isPending} onSave={() => save.mutate(rangeOf(period))} />}
      />
      {consent.data ? (
        <Loaded
          overview={consent.data}
          period={period}
          isOfBefore={consent.isPlaceholderData}
          onPeriod={setPeriod}
        />
      ) : (
        <Card aria-busy={consent.isPending}>
          {consent.isError ? (
            <LoadFailure
              error={consent.error}
              fallback="Não deu para carregar o consentimento."
              onRetry={() => void consent.refetch()}
            />
          ) : (
            <div className="grid gap-4 p-5">
              <p role="status" className="sr-only">
                Carregando o consentimento
              </p>
              <Skeleton className="h-4 w-56 rounded-md" />
              <Skeleton className="h-56 w-full rounded-md" />
            </div>
          )}
        </Card>
      )}
    </>
  )
}

interface LoadedProps {
  overview: ConsentOverview
  period: Period
  /** The figures are of the period before; those of the chosen one are on their way. */
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
            title="Ninguém escolheu ainda"
            text="Quando um visitante aceitar, recusar ou ajustar os cookies no aviso do site, a escolha aparece aqui em cerca de um minuto."
            lesson="O aviso só aparece quando há uma tag ativa que peça consentimento."
          />
        </Card>
      ) : (
        <ChoicesCard overview={overview} period={period} onPeriod={onPeriod} isOfBefore={isOfBefore} />
      )}
      <div className="grid items-start gap-4 min-[1200px]:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        <NoticesCard counts={counts} notices={notices} />
        <ReceiptCard />
        <SealsCard seals={seals} recent={recent} />
        <DossierCard start={rangeOf(PERIODS[1])} />
      </div>
    </div>
  )
}
