import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button, type ButtonProps } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { FormModal } from '#admin/components/modal.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { TestSummary, TestVerdict } from '#contract/tag-test.ts'
import { HealthIcon } from '../badges.tsx'
import { META_TEST_CODE } from '../sending.ts'
import { useStartTest, useTests } from './api.ts'

interface TestButtonProps extends Pick<ButtonProps, 'look' | 'className' | 'children'> {
  pixel: Pick<Pixel, 'id' | 'type' | 'delivery'>
}

/** Meta asks for a code where the server takes part. */
export const needsTestCode = ({ type, delivery }: Pick<Pixel, 'type' | 'delivery'>) =>
  type === 'meta' && delivery !== 'browser'

/** Starts a test; of a pixel that the server tells Meta of, it first asks for the code that makes it one. */
export function TestButton({ pixel, ...look }: TestButtonProps) {
  const start = useStartTest()
  const [isAsking, setAsking] = useState(false)
  const begin = () => {
    if (needsTestCode(pixel)) setAsking(true)
    else start.mutate({ pixelId: pixel.id })
  }
  return (
    <>
      <Button {...look} pending={start.isPending} onClick={begin} />
      {isAsking ? (
        <TestCodeModal
          pixel={pixel}
          onClose={() => setAsking(false)}
          onStart={(code) => {
            setAsking(false)
            start.mutate({ pixelId: pixel.id, testCode: code })
          }}
        />
      ) : null}
    </>
  )
}

interface TestCodeModalProps {
  pixel: Pick<Pixel, 'id' | 'delivery'>
  onStart: (code: string) => void
  onClose: () => void
}

const codeKey = (pixelId: string) => ['test-code', pixelId] as const

/** Meta tells a test from a visitor by a code of its own, which only its page gives. */
function TestCodeModal({ pixel, onStart, onClose }: TestCodeModalProps) {
  const queryClient = useQueryClient()
  const [code, setCode] = useState(() => queryClient.getQueryData<string>(codeKey(pixel.id)) ?? '')
  const [isAsked, setAsked] = useState(false)
  const isNeeded = pixel.delivery === 'server'
  const typed = code.trim()
  const isWrong = typed === '' ? isNeeded : !META_TEST_CODE.test(typed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (isWrong) return
    queryClient.setQueryData(codeKey(pixel.id), typed)
    onStart(typed)
  }
  return (
    <FormModal
      title="Testar agora"
      width="md"
      dirty={false}
      submit="Abrir o site"
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={isNeeded ? 'Código de teste da Meta' : 'Código de teste da Meta (opcional)'}
        error={isAsked && isWrong ? 'Informe o código de teste da Meta, como TEST48213.' : undefined}
        hint={`Está em Testar eventos, no Gerenciador de Eventos, onde o envio do servidor vai aparecer. ${
          isNeeded ? '' : 'Sem ele, o teste mostra só o navegador. '
        }A Meta ainda conta o teste nos relatórios dela.`}
      >
        {(control) => (
          <Input
            {...control}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            placeholder="TEST48213"
            maxLength={64}
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
  const { data, isError } = useTests(pixelId)
  return (
    <Card role="region" aria-labelledby="tests-heading">
      <header className="px-4 pt-4 pb-2 sm:px-5">
        <h3 id="tests-heading" className="text-base tracking-tight">
          Testes
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Os cinco últimos. Um teste não entra nos números do painel, mas a plataforma pode contá-lo. Só quem
          fez o teste vê os passos.
        </p>
      </header>
      {data === undefined || data.length === 0 ? (
        <p className="px-4 pb-5 text-sm text-text-2 sm:px-5">
          {data !== undefined
            ? 'Nenhum teste ainda. "Testar agora" abre o site em outra aba e mostra passo a passo o que esta tag faz.'
            : isError
              ? 'Não deu para ler os testes deste pixel.'
              : 'Carregando'}
        </p>
      ) : (
        <PastTests pixelId={pixelId} tests={data} />
      )}
    </Card>
  )
}

function iconOf({ health, confirmed }: Pick<TestVerdict, 'health' | 'confirmed'>) {
  return health === 'working' && !confirmed ? 'unconfirmed' : health
}

/** The last tests of a pixel; one's own are opened by their result. */
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
