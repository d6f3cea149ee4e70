import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleDashed, Clock, Send } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Button, CopyButton } from '#admin/components/button.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { FailureBox } from '#admin/components/message.tsx'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { DeliveryCheck, DeliveryCheckInput, DeliveryDraftInput } from '#contract/conversions.ts'
import type { PixelType } from '#contract/pixel.ts'
import { CodeBlock } from '../code.tsx'
import { ANSWERERS, META_TEST_CODE, toSendingColumns } from '../sending.ts'
import { TAGS_KEY } from '../tag-status.ts'
import type { PixelForm } from './schema.ts'

/** What the test event is for the vendor, before anybody sends one. */
const HINTS: Partial<Record<PixelType, string>> = {
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
          hint={HINTS.meta ?? null}
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
          <p className="min-w-0 flex-[1_1_16rem] text-sm text-pretty text-text-2">{HINTS[type]}</p>
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

type Draft = Omit<DeliveryDraftInput, 'test_event_code'>

interface CheckRequest {
  /** Of what is saved; null to check the form. */
  pixelId: string | null
  /** What the form holds, or held when it was saved. */
  draft: Draft
  /** Whose answer it will be. */
  type: PixelType
  /** Meta's; empty for the others. */
  testEventCode: string
}

/** What a form holds of sending. */
export function toDraft(form: PixelForm, id: string | null): Draft {
  const { access_token, webhook_url } = toSendingColumns(form)
  return {
    ...(id === null ? {} : { id }),
    type: form.type,
    pixel_id: form.type === 'custom' ? null : form.pixel_id.trim(),
    ...(access_token === undefined ? {} : { access_token }),
    ...(webhook_url === undefined ? {} : { webhook_url }),
  }
}

/** Sends a test event, of the pixel as it is saved or of a form, and answers with what was sent and what came back. */
export function useCheckDelivery() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async ({ pixelId, draft, testEventCode }: CheckRequest) => {
      const code = testEventCode.trim()
      const body: DeliveryCheckInput = code === '' ? {} : { test_event_code: code }
      if (pixelId === null)
        return admin<DeliveryCheck>('/pixels/check', { method: 'POST', body: { ...draft, ...body } })
      const check = await admin<DeliveryCheck>(`/pixels/${pixelId}/check`, { method: 'POST', body })
      // The pixel's health follows from the answer.
      void queryClient.invalidateQueries({ queryKey: TAGS_KEY })
      return check
    },
  })
}

const LOOKS = {
  accepted: { icon: CircleCheck, className: 'text-ok' },
  unconfirmed: { icon: CircleDashed, className: 'text-text-2' },
  refused: { icon: CircleAlert, className: 'text-bad' },
  waiting: { icon: Clock, className: 'text-warn' },
} as const

/** Beside nothing to scroll to: an answer is one long line. */
const WRAPPED = 'whitespace-pre-wrap wrap-anywhere'

interface CheckVerdictProps {
  type: PixelType
  check: DeliveryCheck
  /** True once the form holds something that was not checked. */
  isOld: boolean
  /** What came of the form. */
  children?: ReactNode
}

/** What was sent, to the letter, and what came back, in plain words first. */
function CheckVerdict({ type, check, isOld, children }: CheckVerdictProps) {
  const { icon: Icon, className } = LOOKS[check.state]
  const { who } = ANSWERERS[type]
  const sent = JSON.stringify(check.request.body, null, 2)
  const messages = readDebugMessages(check.response?.body ?? '')
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex gap-2.5">
        <Icon aria-hidden="true" className={`mt-px size-5 flex-none ${className}`} />
        <div className="min-w-0 text-[0.9375rem]/[1.45] wrap-anywhere">
          <p className={`font-semibold ${className}`}>{nameVerdict(type, check, messages.length > 0)}</p>
          <p>{check.message}</p>
          {children ? <p className="font-semibold">{children}</p> : null}
          {isOld ? (
            <p className="text-sm text-text-2">Isto é da conferência anterior, sem as mudanças de agora.</p>
          ) : null}
        </div>
      </div>
      {messages.length === 0 ? null : (
        <ul aria-label="O que o Google apontou" className="grid grid-cols-1 gap-2 text-sm">
          {messages.map(({ field, meaning, text }) => (
            <li key={`${field} ${text}`} className="border-l-4 border-l-[#b25a12] pl-3 wrap-anywhere">
              {meaning}
              {field === '' ? null : (
                <>
                  {' '}
                  Em <span className="font-mono">{field}</span>.
                </>
              )}
              <span lang="en" className="block text-text-2">
                {text}
              </span>
            </li>
          ))}
        </ul>
      )}
      <section aria-label="O que enviamos">
        <header className="flex flex-wrap items-center gap-2 pb-1.5">
          <h3 className="min-w-0 flex-1 text-sm font-semibold tracking-normal">O que enviamos</h3>
          <CopyButton text={sent} />
        </header>
        <CodeBlock
          code={`${check.request.method} ${check.request.url}\n\n${sent}`}
          className={`max-h-72 ${WRAPPED}`}
        />
      </section>
      <section aria-label={`O que ${who} respondeu`}>
        <h3 className="pb-1.5 text-sm font-semibold tracking-normal">O que {who} respondeu</h3>
        {check.response === null ? (
          <p className="text-sm text-text-2">Nada: a resposta não veio.</p>
        ) : (
          <CodeBlock
            code={[`HTTP ${check.response.status}`, check.response.body].filter(Boolean).join('\n\n')}
            className={`max-h-60 ${WRAPPED}`}
          />
        )}
      </section>
    </div>
  )
}

/** Only what was observed: that no answer came is no refusal, and what Google does not say is not claimed. */
function nameVerdict(type: PixelType, { state, response }: DeliveryCheck, isPointedOut: boolean): string {
  const { Who, who } = ANSWERERS[type]
  if (response === null) return `Sem resposta: ${who} não respondeu`
  if (isPointedOut) return `${Who} apontou problemas no evento`
  return {
    accepted: `${Who} aceitou`,
    unconfirmed: `Enviado, ${who} não confirma`,
    refused: `${Who} recusou`,
    waiting: `${Who} não aceitou por enquanto`,
  }[state]
}

interface DebugMessage {
  /** Where in the payload, as Google writes it; empty where it does not say. */
  field: string
  /** In Portuguese where the code is known. */
  meaning: string
  /** As Google wrote it. */
  text: string
}

const MEANINGS: Readonly<Record<string, string>> = {
  VALUE_REQUIRED: 'Falta um valor obrigatório.',
  VALUE_INVALID: 'Um valor não é aceito.',
  VALUE_OUT_OF_BOUNDS: 'Um valor passa do limite.',
  NAME_INVALID: 'Um nome não é aceito.',
  NAME_RESERVED: 'O nome é reservado pelo Google.',
  EXCEEDED_MAX_ENTITIES: 'Há itens demais.',
  NAME_DUPLICATED: 'Um nome aparece duas vezes.',
}

/** What Google's debug endpoint found in an event; empty for every other answer. */
export function readDebugMessages(body: string): DebugMessage[] {
  const answer = parse(body)
  const found = isRecord(answer) && Array.isArray(answer.validationMessages) ? answer.validationMessages : []
  return found.filter(isRecord).map(({ fieldPath, description, validationCode }) => ({
    field: typeof fieldPath === 'string' ? fieldPath : '',
    meaning: MEANINGS[String(validationCode)] ?? 'O Google apontou um problema.',
    text: typeof description === 'string' ? description : '',
  }))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
