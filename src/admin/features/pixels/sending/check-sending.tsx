import { Send } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import type { PixelType } from '#contract/pixel.ts'
import type { toDraft, useCheckDelivery } from './check-delivery.ts'
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
  /** True while the form holds something that is not stored. */
  needsSave: boolean
  isSaving: boolean
  /** What the form holds. */
  readDraft: () => ReturnType<typeof toDraft>
  /** Whether the form may be saved as it is; says what is missing. */
  isComplete: () => Promise<boolean>
  /** Saves what was checked, and stays. */
  onSave: () => void
}

/** "Conferir": a test event, with its exact payload and the vendor's answer. */
export function CheckSending(props: CheckSendingProps) {
  const { type, pixelId, check, needsSave, isSaving, readDraft, isComplete, onSave } = props
  const [testEventCode, setTestEventCode] = useState('')
  const [isAsked, setAsked] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const isBusy = check.isPending || isSaving
  const code = type === 'meta' ? testEventCode.trim() : ''
  const isCodeMissing = type === 'meta' && !META_TEST_CODE.test(code)
  const isUnsaved = needsSave || pixelId === null
  const start = async () => {
    if (isBusy) return
    setAsked(true)
    if (isCodeMissing) {
      field.current?.focus()
      return
    }
    if (isUnsaved && !(await isComplete())) return
    // What works is not replaced before the vendor has taken what is to replace it.
    check.mutate(
      { pixelId: isUnsaved ? null : pixelId, draft: readDraft(), type, testEventCode: code },
      {
        onSuccess: ({ state }) => isUnsaved && (state === 'accepted' || state === 'unconfirmed') && onSave(),
      },
    )
  }
  const isOld = needsSave && JSON.stringify(check.variables?.draft) !== JSON.stringify(readDraft())
  const button = (
    <Button look="outline" aria-disabled={isBusy} onClick={() => void start()} className="flex-none">
      <Send aria-hidden="true" />
      {check.isPending ? 'Conferindo...' : isUnsaved ? 'Conferir e salvar' : 'Conferir'}
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
                  void start()
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
          <CheckVerdict type={type} check={check.data} isOld={isOld}>
            {isOld ||
            !isUnsaved ||
            isSaving ||
            (check.data.state !== 'refused' && check.data.state !== 'waiting')
              ? null
              : pixelId === null
                ? 'Nada foi salvo.'
                : 'Nada foi salvo: o pixel continua como estava.'}
          </CheckVerdict>
        ) : null}
      </div>
    </section>
  )
}
