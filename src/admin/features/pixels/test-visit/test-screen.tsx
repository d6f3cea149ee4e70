import { Check, ChevronLeft, ExternalLink, Minus, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { OpenedPart } from '#admin/components/error-boundary.tsx'
import { NotFound, PageHeading, usePageTitle } from '#admin/components/page-heading.tsx'
import { QueryView } from '#admin/components/query-view.tsx'
import { cn } from '#admin/lib/cn.ts'
import { isId, Link, paths } from '#admin/lib/router.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { TagTest, TestState, TestStep } from '#contract/tag-test.ts'
import { useListedName, usePixel } from '../api.ts'
import type { FormStart } from '../form/schema.ts'
import { PixelModal } from '../list/pixels-screen.tsx'
import { useBlockedHosts, usePixelRuns } from '../tag-status.ts'
import { useTest, useTests } from './api.ts'
import { type Gate, listGates } from './gates.ts'
import { PastTests, TestButton } from './test-card.tsx'
import { TestSteps } from './test-steps.tsx'

const WAITS: Partial<Record<TestState, string>> = {
  waiting: 'Aguardando o site abrir',
  open: 'Aguardando o próximo passo',
}

const isRefusedCopy = ({ copy }: TestStep) => copy?.check?.state === 'refused'

/** One test of a pixel, live. */
export function TestScreen({ pixelId, testId }: { pixelId: string; testId: string }) {
  const pixel = usePixel(pixelId).data ?? undefined
  const listed = useListedName(pixelId)
  const name = pixel?.name ?? listed ?? 'Pixel'
  usePageTitle(`Teste de ${name}`)
  const path = paths.pixel(pixelId)
  return (
    <>
      <Link
        href={path}
        className="-ml-1 mb-2 inline-flex min-h-11 items-center gap-1 text-[0.9375rem] text-text-2 hover:text-ink [&_svg]:size-5"
      >
        <ChevronLeft aria-hidden="true" />
        {name}
      </Link>
      <PageHeading title={`Teste de ${name}`} />
      {isId(pixelId) && isId(testId) ? (
        <Test pixelId={pixelId} pixel={pixel} testId={testId} />
      ) : (
        <Gone path={path} />
      )}
    </>
  )
}

function Gone({ path }: { path: string }) {
  return (
    <NotFound
      title="Este teste não existe mais"
      text="Guardamos os 5 últimos testes de cada pixel."
      way={{ to: path, label: 'Voltar ao pixel' }}
    />
  )
}

interface TestProps {
  pixelId: string
  pixel: Pixel | undefined
  testId: string
}

function Test({ pixelId, pixel, testId }: TestProps) {
  const test = useTest(pixelId, testId)
  if (test.isGone) return <Gone path={paths.pixel(pixelId)} />
  return (
    <QueryView
      query={test}
      failure="Não foi possível abrir este teste."
      loading={<div aria-busy="true" className="min-h-80" />}
      frame={(said) => <Card className="mb-4">{said}</Card>}
    >
      {(data) => <KnownTest pixelId={pixelId} pixel={pixel} testId={testId} test={data} link={test.link} />}
    </QueryView>
  )
}

interface KnownTestProps extends TestProps {
  test: TagTest
  /** Opens the site; known only to the tab that created it. */
  link: string | undefined
}

function KnownTest({ pixelId, pixel, testId, test, link }: KnownTestProps) {
  const { data: tests = [] } = useTests(pixelId)
  const { runOf } = usePixelRuns()
  const [form, setForm] = useState<FormStart | null>(null)
  const others = tests.filter(({ id }) => id !== testId)
  return (
    <>
      <TestVerdictPanel
        test={test}
        pixelId={pixelId}
        pixel={pixel}
        vendor={runOf(pixelId)?.status.vendor?.name ?? 'Plataforma'}
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
            waitsFor={
              test.awaits_copies ? 'Aguardando a resposta da plataforma' : (WAITS[test.state] ?? null)
            }
          />
        </Card>
        <Card role="region" aria-labelledby="past-heading">
          <h3 id="past-heading" className="px-4 pt-4 pb-2 text-base tracking-tight sm:px-5">
            Testes anteriores
          </h3>
          {others.length === 0 ? (
            <p className="px-4 pb-5 text-sm text-text-2 sm:px-5">Este é o primeiro teste.</p>
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

interface TestVerdictPanelProps {
  test: TagTest
  pixelId: string
  pixel: Pixel | undefined
  vendor: string
  /** Known only to the tab that created the test. */
  link: string | undefined
  onEdit: () => void
}

/** Progress or result of the test, and the next step. */
function TestVerdictPanel({ test, pixelId, pixel, vendor, link, onEdit }: TestVerdictPanelProps) {
  const { verdict, state, steps } = test
  const { permit, isPending } = useBlockedHosts()
  const isLive = state === 'waiting' || state === 'open'
  const { action } = verdict
  const stopped = steps.find(({ kind, host }) => kind === 'stopped' && host !== undefined)
  const act = () => {
    if (action?.kind === 'permit')
      permit({ ids: action.ids, hosts: [stopped?.host ?? ''], pixelIds: [pixelId] })
    else onEdit()
  }
  return (
    <section
      aria-labelledby="verdict-heading"
      className="rounded-2xl bg-ink px-4 pt-5 pb-6 text-on-ink sm:px-7 sm:pt-7 forced-colors:border"
    >
      <div className="flex flex-wrap items-start gap-x-6 gap-y-4">
        <div className="min-w-0 flex-[1_1_20rem]" role="status">
          <h3
            id="verdict-heading"
            className="text-[1.375rem]/tight tracking-tight wrap-anywhere sm:text-[1.75rem]/tight"
          >
            {verdict.title}
          </h3>
          <p className="mt-1.5 max-w-[54ch] text-pretty wrap-anywhere text-on-ink-2">{verdict.text}</p>
        </div>
        <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:*:flex-1">
          {action === undefined ? null : (
            <Button
              pending={isPending}
              onClick={act}
              className="bg-accent text-ink wrap-anywhere hover:bg-accent-2"
            >
              {action.label}
            </Button>
          )}
          {state === 'waiting' && link !== undefined ? (
            <a
              href={link}
              target="_blank"
              rel="noopener noreferrer"
              className="button bg-accent text-ink hover:bg-accent-2"
            >
              <ExternalLink aria-hidden="true" />
              Abrir o site
            </a>
          ) : null}
          {pixel === undefined || (isLive && link !== undefined) ? null : (
            <TestButton pixel={pixel} look="onInk" className="max-md:border-current">
              Testar novamente
            </TestButton>
          )}
        </div>
      </div>
      <TestGates gates={listGates(test, vendor)} />
    </section>
  )
}

const ARCHES: Record<Gate['state'], string> = {
  done: 'bg-accent text-ink',
  doing: 'bg-ink-2 text-accent shadow-[inset_0_0_0_2px_var(--accent)]',
  stop: 'bg-bad-ink text-ink',
  ahead: 'bg-ink-2 text-on-ink-2 shadow-[inset_0_0_0_1.5px_#ffffff2e]',
}

/** Each state has a sign and a word, so that colour is not needed. */
function TestGates({ gates }: { gates: readonly Gate[] }) {
  return (
    <ol
      className={cn(
        'mt-6 grid gap-y-3 border-t border-[#ffffff2e] pt-5',
        gates.length === 4 ? 'sm:grid-cols-4' : 'sm:grid-cols-5',
      )}
      aria-label="Etapas do teste"
    >
      {gates.map(({ name, state, text }) => (
        <li
          key={name}
          className="flex min-w-0 items-center gap-x-3 text-sm/[1.35] sm:flex-col sm:px-1 sm:text-center"
        >
          <span
            aria-hidden="true"
            className={cn(
              'grid h-11 w-9 flex-none place-items-center rounded-t-full sm:mb-3 sm:h-24 sm:w-17 [&_svg]:size-5 forced-colors:border',
              ARCHES[state],
            )}
          >
            {state === 'done' ? <Check /> : state === 'stop' ? <X /> : <Minus />}
          </span>
          <span className="min-w-0 wrap-anywhere sm:w-full">
            <b className="block font-semibold">{name}</b>
            <span className="block text-on-ink-2">{text}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
