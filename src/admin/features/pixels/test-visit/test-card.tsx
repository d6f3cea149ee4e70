import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button, type ButtonProps } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { FormModal } from '#admin/components/modal.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { notifyFailure } from '#admin/components/toast.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import { type DestinationField, fitsField } from '#contract/conversions.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { TestSummary, TestVerdict } from '#contract/tag-test.ts'
import { HealthIcon } from '../badges.tsx'
import { findTestCode, useDestinations } from '../destinations.ts'
import { useStartTest, useTests } from './api.ts'

interface TestButtonProps extends Pick<ButtonProps, 'look' | 'className' | 'children'> {
  pixel: Pick<Pixel, 'id' | 'type' | 'delivery' | 'destination'>
}

/** Starts a test. If the vendor recognises tests by a code, it first asks for that. */
export function TestButton({ pixel, ...look }: TestButtonProps) {
  const start = useStartTest()
  const [isAsking, setAsking] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const destinations = useDestinations()
  const code = findTestCode(destinations.data, pixel)
  const begin = async () => {
    let known = destinations.data
    if (known === undefined && pixel.delivery !== 'browser') {
      setWaiting(true)
      const loaded = await destinations.refetch({ cancelRefetch: false })
      setWaiting(false)
      if (loaded.data === undefined) return notifyFailure('Não foi possível iniciar o teste.', loaded.error)
      known = loaded.data
    }
    if (findTestCode(known, pixel) !== null) setAsking(true)
    else start.mutate({ pixelId: pixel.id })
  }
  return (
    <>
      <Button {...look} pending={start.isPending || isWaiting} onClick={begin} />
      {isAsking && code !== null ? (
        <TestCodeModal
          pixel={pixel}
          {...code}
          onClose={() => setAsking(false)}
          onStart={(testCode) => {
            setAsking(false)
            start.mutate({ pixelId: pixel.id, testCode })
          }}
        />
      ) : null}
    </>
  )
}

interface TestCodeModalProps {
  pixel: Pick<Pixel, 'id' | 'delivery'>
  field: DestinationField
  /** What happens with the test at the vendor. */
  meaning: string
  onStart: (code: string) => void
  onClose: () => void
}

const codeKey = (pixelId: string) => ['test-code', pixelId] as const

/** Meta and TikTok recognise a test by a code from their own page. */
function TestCodeModal({ pixel, field, meaning, onStart, onClose }: TestCodeModalProps) {
  const queryClient = useQueryClient()
  const [code, setCode] = useState(() => queryClient.getQueryData<string>(codeKey(pixel.id)) ?? '')
  const [isAsked, setAsked] = useState(false)
  const isNeeded = pixel.delivery === 'server'
  const typed = code.trim()
  const isWrong = typed === '' ? isNeeded : !fitsField(field, typed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (isWrong) return
    queryClient.setQueryData(codeKey(pixel.id), typed)
    onStart(typed)
  }
  return (
    <FormModal
      title="Testar pixel"
      width="md"
      dirty={false}
      submit="Abrir o site e testar"
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={isNeeded ? field.label : `${field.label} (opcional)`}
        error={isAsked && isWrong ? field.refusal : undefined}
        hint={isNeeded ? meaning : `Sem o código, o teste mostra só o envio pela página. ${meaning}`}
      >
        {(control) => (
          <Input
            {...control}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            placeholder={field.example ?? undefined}
            maxLength={field.max_length}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
    </FormModal>
  )
}

/** On the page of a pixel: the last tests. */
export function TestsCard({ pixelId }: { pixelId: string }) {
  const tests = useTests(pixelId)
  return (
    <Card role="region" aria-labelledby="tests-heading" aria-busy={tests.isPending}>
      <header className="px-4 pt-4 pb-2 sm:px-5">
        <h3 id="tests-heading" className="text-base tracking-tight">
          Testes
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Os 5 últimos testes. Eles não entram nos números do painel, mas a plataforma pode contar.
        </p>
        <SaibaMais about="sobre os testes">
          <p>Só quem fez o teste vê o passo a passo.</p>
        </SaibaMais>
      </header>
      <QueryView
        query={tests}
        look="line"
        failure="Não foi possível carregar os testes."
        loading={<LoadingLines label="Carregando" />}
      >
        {(data) =>
          data.length === 0 ? (
            <p className="px-4 pb-5 text-sm text-text-2 sm:px-5">
              Nenhum teste ainda. Clique em "Testar agora" para abrir o site e ver, passo a passo, o que a tag
              faz.
            </p>
          ) : (
            <PastTests pixelId={pixelId} tests={data} />
          )
        }
      </QueryView>
    </Card>
  )
}

function iconOf({ health, confirmed }: Pick<TestVerdict, 'health' | 'confirmed'>) {
  return health === 'working' && !confirmed ? 'unconfirmed' : health
}

/** The last tests of a pixel; one's own can be opened. */
export function PastTests({ pixelId, tests }: { pixelId: string; tests: readonly TestSummary[] }) {
  return (
    <ul className="pb-1">
      {tests.map(({ id, verdict, created_at, by, is_mine }) => {
        return (
          <li
            key={id}
            className="flex items-start gap-3 border-t border-line px-4 py-3 first:border-t-0 sm:px-5"
          >
            <HealthIcon health={iconOf(verdict)} className="mt-0.5" />
            <div className="min-w-0 flex-1 wrap-anywhere">
              {is_mine ? (
                <Link
                  href={paths.test(pixelId, id)}
                  className="-my-2.5 inline-block py-2.5 underline decoration-line-2 underline-offset-4 hover:decoration-ink"
                >
                  {verdict.title}
                </Link>
              ) : (
                verdict.title
              )}
              <p className="text-sm text-text-2">
                {formatMinute(created_at)}, {by}
              </p>
            </div>
          </li>
        )
      })}
    </ul>
  )
}
