import { Send } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import type { PixelType } from '#contract/pixel.ts'
import type { useCheckDelivery } from './check-delivery.ts'
import { CheckVerdict } from './check-verdict.tsx'
import { META_TEST_CODE } from './meta-test-code.ts'

/** What the test event is for the vendor, before anybody sends one. */
const MEANINGS: Partial<Record<PixelType, string>> = {
  meta: 'Está em Testar eventos, no Gerenciador de Eventos, onde o evento aparece. A Meta conta o teste como os outros.',
  google_analytics:
    'Envia um evento ao endereço de depuração do Google, que não guarda nada e não confere nem o ID nem a chave.',
  custom: 'Envia um evento de teste, assinado, ao endereço acima.',
}

interface CheckSendingProps {
  type: PixelType
  /** Null while it is not saved. */
  pixelId: string | null
  check: ReturnType<typeof useCheckDelivery>
  /** What is checked is what is stored: true while the form holds something else. */
  needsSave: boolean
  isSaving: boolean
  /** Saves, stays, and goes on with the check. */
  onSave: (thenCheck: (pixelId: string) => void) => void
}

/** "Conferir": a test event, with its exact payload and the vendor's answer. */
export function CheckSending(props: CheckSendingProps) {
  const { type, pixelId, check, needsSave, isSaving, onSave } = props
  const [testEventCode, setTestEventCode] = useState('')
  const [isAsked, setAsked] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const isBusy = check.isPending || isSaving
  const code = type === 'meta' ? testEventCode.trim() : ''
  const isCodeMissing = type === 'meta' && !META_TEST_CODE.test(code)
  const run = (id: string) => check.mutate({ pixelId: id, type, testEventCode: code })
  const start = () => {
    if (isBusy) return
    setAsked(true)
    if (isCodeMissing) {
      field.current?.focus()
      return
    }
    if (needsSave || pixelId === null) onSave(run)
    else run(pixelId)
  }
  const button = (
    <Button look="outline" aria-disabled={isBusy} onClick={start} className="flex-none">
      <Send aria-hidden="true" />
      {check.isPending ? 'Conferindo...' : needsSave ? 'Salvar e conferir' : 'Conferir'}
    </Button>
  )
  return (
    <section aria-label="Conferência" className="grid grid-cols-1 gap-3 rounded-1 bg-paper px-4 py-3.5">
      {type === 'meta' ? (
        <Field
          label="Código de teste"
          error={isAsked && isCodeMissing ? 'Informe o código de teste da Meta, como TEST48213.' : undefined}
          hint={MEANINGS.meta ?? null}
        >
          {(control) => (
            <div className="flex flex-wrap gap-2">
              <Input
                {...control}
                ref={field}
                value={testEventCode}
                onChange={(event) => setTestEventCode(event.target.value)}
                // Enter in it checks, and does not save the pixel.
                onKeyDown={(event) => {
                  if (event.key !== 'Enter') return
                  event.preventDefault()
                  start()
                }}
                placeholder="TEST48213"
                maxLength={64}
                autoComplete="off"
                autoCapitalize="characters"
                spellCheck={false}
                className="w-auto min-w-0 flex-[1_1_9rem] font-mono"
              />
              {button}
            </div>
          )}
        </Field>
      ) : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-[1_1_16rem] text-sm text-pretty text-text-2">{MEANINGS[type]}</p>
          {button}
        </div>
      )}
      <div aria-live="polite" aria-busy={check.isPending} className="contents">
        {check.isPending ? (
          <p className="text-sm text-text-2">Perguntando: a resposta vem em alguns segundos.</p>
        ) : check.isError && check.variables?.type === type ? (
          <FailureBox error={check.error} fallback="Não deu para conferir o envio." />
        ) : check.data && check.variables?.type === type ? (
          <CheckVerdict type={type} check={check.data} isOld={needsSave} />
        ) : null}
      </div>
    </section>
  )
}
