import { ChevronLeft } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { OpenedPart } from '#admin/components/opened-part.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { navigate } from '#admin/lib/address.ts'
import { openHere } from '#admin/lib/open-here.ts'
import { pixelPath } from '#admin/lib/places.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { TestState, TestStep } from '#contract/tag-test.ts'
import { usePixels } from '../api/list-pixels.ts'
import { usePixelRuns } from '../api/tag-overview.ts'
import type { FormStart } from '../components/form-start.ts'
import { PixelModal } from '../components/lazy-pixel-parts.ts'
import { PastTests } from './past-tests.tsx'
import { useTest, useTests } from './read-tests.ts'
import { TestSteps } from './test-steps.tsx'
import { TestVerdictPanel } from './test-verdict-panel.tsx'

const WAITS: Partial<Record<TestState, string>> = {
  waiting: 'Esperando o site abrir',
  open: 'Esperando o próximo passo',
}

const isRefusedCopy = ({ copy }: TestStep) => copy?.check?.state === 'refused'

/** One test of a pixel, live. */
export function TestScreen({ pixelId, testId }: { pixelId: string; testId: string }) {
  const { data: pixels } = usePixels()
  const { boot } = useServices()
  const pixel = pixels?.find(({ id }) => id === pixelId)
  const name = pixel?.name ?? 'Pixel'
  useEffect(() => {
    document.title = `Teste de ${name} · Admin Dashboard ${boot.brandName}`
  }, [name, boot.brandName])
  useEffect(() => {
    scrollTo(0, 0)
  }, [])
  const path = pixelPath(pixelId)
  return (
    <>
      <a
        href={path}
        onClick={(event) => openHere(event, path)}
        className="-ml-1 mb-2 inline-flex min-h-11 items-center gap-1 text-[0.9375rem] text-text-2 hover:text-ink [&_svg]:size-5"
      >
        <ChevronLeft aria-hidden="true" />
        {name}
      </a>
      <PageHeading title={`Teste de ${name}`} />
      <Test pixelId={pixelId} pixel={pixel} testId={testId} />
    </>
  )
}

function Gone({ path }: { path: string }) {
  return (
    <Card>
      <EmptyState
        title="Este teste não existe mais"
        text="De cada pixel ficam guardados os cinco últimos testes."
        action={
          <Button look="outline" onClick={() => navigate(path)}>
            Voltar ao pixel
          </Button>
        }
      />
    </Card>
  )
}

interface TestProps {
  pixelId: string
  pixel: Pixel | undefined
  testId: string
}

function Test({ pixelId, pixel, testId }: TestProps) {
  const { data: test, isError, isGone, error, refetch, link } = useTest(pixelId, testId)
  const { data: tests = [] } = useTests(pixelId)
  const { runOf } = usePixelRuns()
  const [form, setForm] = useState<FormStart | null>(null)
  if (isGone) return <Gone path={pixelPath(pixelId)} />
  if (test === undefined)
    return isError ? (
      <Card>
        <LoadFailure error={error} fallback="Não deu para abrir este teste." onRetry={() => void refetch()} />
      </Card>
    ) : (
      <div aria-busy="true" className="min-h-80" />
    )
  const others = tests.filter(({ id }) => id !== testId)
  return (
    <>
      <TestVerdictPanel
        test={test}
        pixelId={pixelId}
        pixel={pixel}
        vendor={runOf(pixelId)?.status.vendor?.name ?? 'Destino'}
        link={link}
        onEdit={() => setForm(test.steps.some(isRefusedCopy) ? 'sending' : 'code')}
      />
      <div className="mt-4 grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Card role="region" aria-labelledby="steps-heading">
          <h3 id="steps-heading" className="px-4 pt-4 pb-2 text-base tracking-tight sm:px-5">
            Passo a passo
          </h3>
          <TestSteps
            steps={test.steps}
            waitsFor={test.awaits_copies ? 'Esperando a resposta ao servidor' : (WAITS[test.state] ?? null)}
          />
        </Card>
        <Card role="region" aria-labelledby="past-heading">
          <h3 id="past-heading" className="px-4 pt-4 pb-2 text-base tracking-tight sm:px-5">
            Testes anteriores
          </h3>
          {others.length === 0 ? (
            <p className="px-4 pb-5 text-sm text-text-2 sm:px-5">Este é o primeiro que está guardado.</p>
          ) : (
            <PastTests pixelId={pixelId} tests={others} />
          )}
        </Card>
      </div>
      {form !== null && pixel !== undefined ? (
        <OpenedPart onClose={() => setForm(null)}>
          <PixelModal pixel={pixel} startsAt={form} onClose={() => setForm(null)} />
        </OpenedPart>
      ) : null}
    </>
  )
}
