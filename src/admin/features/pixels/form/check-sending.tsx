import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleDashed, Clock, Send } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Button, CopyButton } from '#admin/components/button.tsx'
import { Field } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { FailureBox } from '#admin/components/message.tsx'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type {
  DeliveryCheck,
  DeliveryCheckInput,
  DeliveryDraftInput,
  ServedDestination,
} from '#contract/conversions.ts'
import type { PixelType } from '#contract/pixel.ts'
import { CodeBlock } from '../code.tsx'
import { answererOf, META_TEST_CODE, toSendingColumns } from '../sending.ts'
import { TAGS_KEY } from '../tag-status.ts'
import type { PixelForm } from './schema.ts'

const META_CODE = {
  label: 'Código de teste da Meta',
  example: 'TEST48213',
  missing: 'Digite o código de teste da Meta, como TEST48213.',
}

interface CheckSendingProps {
  type: PixelType
  /** Where a custom pixel is sent instead of a webhook. */
  vendor: ServedDestination | null
  /** What happens with the test event at the vendor; null until it is known. */
  meaning: string | null
  /** Null while it is not saved. */
  pixelId: string | null
  check: ReturnType<typeof useCheckDelivery>
  /** True while the form has unsaved changes. */
  needsSave: boolean
  isSaving: boolean
  /** The form's values. */
  readDraft: () => ReturnType<typeof toDraft>
  /** Whether the form can be saved; shows what is missing. */
  isComplete: () => Promise<boolean>
  /** Saves what was checked, and stays open. */
  onSave: () => void
}

/** "Enviar teste": a test event, with its exact payload and the vendor's answer. */
export function CheckSending(props: CheckSendingProps) {
  const { type, vendor, meaning, pixelId, check, needsSave, isSaving, readDraft, isComplete, onSave } = props
  const [testEventCode, setTestEventCode] = useState('')
  const [isAsked, setAsked] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const isBusy = check.isPending || isSaving
  const ofVendor = vendor?.test.code ?? null
  const asked =
    type === 'meta'
      ? META_CODE
      : ofVendor && { label: ofVendor.label, example: ofVendor.example ?? '', missing: ofVendor.refusal }
  const code = asked === null ? '' : testEventCode.trim()
  const isCodeMissing = asked !== null && !META_TEST_CODE.test(code)
  const isOfThis = check.variables?.type === type && check.variables.destination === (vendor?.id ?? null)
  const isUnsaved = needsSave || pixelId === null
  const start = async () => {
    if (isBusy) return
    setAsked(true)
    if (isCodeMissing) {
      field.current?.focus()
      return
    }
    if (isUnsaved && !(await isComplete())) return
    // Working settings are not replaced before the vendor has accepted the new ones.
    check.mutate(
      {
        pixelId: isUnsaved ? null : pixelId,
        draft: readDraft(),
        type,
        destination: vendor?.id ?? null,
        testEventCode: code,
      },
      {
        onSuccess: ({ state }) => isUnsaved && (state === 'accepted' || state === 'unconfirmed') && onSave(),
      },
    )
  }
  const isOld = needsSave && JSON.stringify(check.variables?.draft) !== JSON.stringify(readDraft())
  const button = (
    <Button look="outline" aria-disabled={isBusy} onClick={() => void start()} className="flex-none">
      <Send aria-hidden="true" />
      {vendor?.test.is_sent === false
        ? isUnsaved
          ? 'Conferir e salvar'
          : 'Conferir'
        : check.isPending
          ? 'Enviando teste...'
          : isUnsaved
            ? 'Enviar teste e salvar'
            : 'Enviar teste'}
    </Button>
  )
  return (
    <section aria-label="Teste de envio" className="grid grid-cols-1 gap-3 rounded-1 bg-paper px-4 py-3.5">
      {asked !== null ? (
        <Field
          label={asked.label}
          error={isAsked && isCodeMissing ? asked.missing : undefined}
          hint={meaning}
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
                placeholder={asked.example}
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
          <p className="min-w-0 flex-[1_1_16rem] text-sm text-pretty text-text-2">{meaning}</p>
          {button}
        </div>
      )}
      <div aria-live="polite" aria-busy={check.isPending} className="contents">
        {check.isPending ? (
          <p className="text-sm text-text-2">Aguardando a resposta. Leva alguns segundos.</p>
        ) : check.isError && isOfThis ? (
          <FailureBox error={check.error} fallback="Não foi possível enviar o teste." />
        ) : check.data && isOfThis ? (
          <CheckVerdict answerer={answererOf(type, vendor)} check={check.data} isOld={isOld}>
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
  /** Of the saved pixel; null to check the form. */
  pixelId: string | null
  /** The form's values, or those when it was saved. */
  draft: Draft
  /** The vendor's type, and where a custom pixel is sent instead of a webhook. */
  type: PixelType
  destination: string | null
  /** Of vendors that have one; empty for others. */
  testEventCode: string
}

/** The form's values about sending. */
export function toDraft(form: PixelForm, id: string | null): Draft {
  const { access_token, webhook_url, destination, destination_account, event_ids } = toSendingColumns(form)
  return {
    ...(id === null ? {} : { id }),
    type: form.type,
    pixel_id: form.type === 'custom' ? null : form.pixel_id.trim(),
    ...(access_token === undefined ? {} : { access_token }),
    ...(webhook_url === undefined ? {} : { webhook_url }),
    ...(destination === undefined ? {} : { destination }),
    ...(destination_account === undefined ? {} : { destination_account }),
    ...(event_ids === undefined ? {} : { event_ids }),
  }
}

/** Sends a test event for the saved pixel or a form, and returns what was sent and answered. */
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

/** Wrapped instead of scrolled: an answer is one long line. */
const WRAPPED = 'whitespace-pre-wrap wrap-anywhere'

interface CheckVerdictProps {
  answerer: ReturnType<typeof answererOf>
  check: DeliveryCheck
  /** True once the form has changed since the check. */
  isOld: boolean
  /** The result of the form. */
  children?: ReactNode
}

/** What was sent, exactly, and the answer, in plain words first. */
function CheckVerdict({ answerer, check, isOld, children }: CheckVerdictProps) {
  const { icon: Icon, className } = LOOKS[check.state]
  const { who } = answerer
  const title = check.checked_here ? 'O que enviaríamos' : 'O que enviamos'
  const sent = JSON.stringify(check.request.body, null, 2)
  const messages = readDebugMessages(check.response?.body ?? '')
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex gap-2.5">
        <Icon aria-hidden="true" className={`mt-px size-5 flex-none ${className}`} />
        <div className="min-w-0 text-[0.9375rem]/[1.45] wrap-anywhere">
          <p className={`font-semibold ${className}`}>{nameVerdict(answerer, check, messages.length > 0)}</p>
          <p>{check.message}</p>
          {children ? <p className="font-semibold">{children}</p> : null}
          {isOld ? (
            <p className="text-sm text-text-2">
              Este resultado é do teste anterior, sem as alterações atuais.
            </p>
          ) : null}
        </div>
      </div>
      {messages.length === 0 ? null : (
        <ul aria-label="Problemas apontados pelo Google" className="grid grid-cols-1 gap-2 text-sm">
          {messages.map(({ field, meaning, text }) => (
            <li key={`${field} ${text}`} className="border-l-4 border-l-[#b25a12] pl-3 wrap-anywhere">
              {meaning}
              {field === '' ? null : (
                <>
                  {' '}
                  Campo: <span className="font-mono">{field}</span>.
                </>
              )}
              <span lang="en" className="block text-text-2">
                {text}
              </span>
            </li>
          ))}
        </ul>
      )}
      <section aria-label={title}>
        <header className="flex flex-wrap items-center gap-2 pb-1.5">
          <h3 className="min-w-0 flex-1 text-sm font-semibold tracking-normal">{title}</h3>
          <CopyButton text={sent} />
        </header>
        <CodeBlock
          code={`${check.request.method} ${check.request.url}\n\n${sent}`}
          className={`max-h-72 ${WRAPPED}`}
        />
      </section>
      {check.checked_here ? null : (
        <section aria-label={`O que ${who} respondeu`}>
          <h3 className="pb-1.5 text-sm font-semibold tracking-normal">O que {who} respondeu</h3>
          {check.response === null ? (
            <p className="text-sm text-text-2">Nenhuma resposta. Tente novamente em instantes.</p>
          ) : (
            <CodeBlock
              code={[`HTTP ${check.response.status}`, check.response.body].filter(Boolean).join('\n\n')}
              className={`max-h-60 ${WRAPPED}`}
            />
          )}
        </section>
      )}
    </div>
  )
}

/** Only what was observed: no answer is no refusal, and what Google does not say is not claimed. */
function nameVerdict(
  { Who, who }: ReturnType<typeof answererOf>,
  { state, response, checked_here }: DeliveryCheck,
  isPointedOut: boolean,
): string {
  if (checked_here) return state === 'refused' ? 'O evento não está certo' : 'O formato está certo'
  if (response === null) return `${Who} não respondeu`
  if (isPointedOut) return `${Who} encontrou problemas no evento`
  return {
    accepted: `${Who} aceitou o teste`,
    unconfirmed: `Teste enviado, mas ${who} não confirma o recebimento`,
    refused: `${Who} recusou o teste`,
    waiting: `${Who} não aceitou o teste por enquanto`,
  }[state]
}

interface DebugMessage {
  /** Position in the payload, as Google writes it; empty if it does not say. */
  field: string
  /** In Portuguese if the code is known. */
  meaning: string
  /** Google's own text. */
  text: string
}

const MEANINGS: Readonly<Record<string, string>> = {
  VALUE_REQUIRED: 'Falta um valor obrigatório.',
  VALUE_INVALID: 'Um valor não é válido.',
  VALUE_OUT_OF_BOUNDS: 'Um valor passa do limite.',
  NAME_INVALID: 'Um nome não é válido.',
  NAME_RESERVED: 'O nome é reservado pelo Google.',
  EXCEEDED_MAX_ENTITIES: 'Há itens demais.',
  NAME_DUPLICATED: 'Um nome aparece duas vezes.',
}

/** Findings of Google's debug endpoint; empty for other answers. */
export function readDebugMessages(body: string): DebugMessage[] {
  const answer = parse(body)
  const found = isRecord(answer) && Array.isArray(answer.validationMessages) ? answer.validationMessages : []
  return found.filter(isRecord).map(({ fieldPath, description, validationCode }) => ({
    field: typeof fieldPath === 'string' ? fieldPath : '',
    meaning: MEANINGS[String(validationCode)] ?? 'O Google encontrou um problema.',
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
