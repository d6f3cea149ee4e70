import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Button, CopyButton } from '#admin/components/button.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { ArchIcon } from '#admin/components/text.tsx'
import type { AdminApi } from '#admin/lib/api.ts'
import { useServices } from '#admin/lib/services.tsx'
import { CONVERSION_NAMES } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'
import type { TagPreview, TagPreviewRequest } from '#contract/tag-status.ts'
import { TagWarnings } from '../health-notes.tsx'
import { groupHosts, HostList } from '../hosts.tsx'
import { describeFilled, describeQuestion, type useRecognition } from './recognition.ts'
import type { PixelForm } from './schema.ts'

const EMPTY = {
  code: 'empty',
  message: 'Sem código, este pixel não funciona. Cole o código que a plataforma forneceu.',
}

interface CodeVerdictProps {
  form: UseFormReturn<PixelForm>
  preview: PreviewState
}

/** Below the code, while typing: what will not work. */
export function CodeVerdict({ form, preview: { preview, isFailed, retry } }: CodeVerdictProps) {
  const [type, pixelId, code, isActive] = form.watch(['type', 'pixel_id', 'code', 'is_active'])
  // An untouched form needs no warning.
  const isEmptied = code.trim() === '' && isActive && (pixelId.trim() !== '' || isOpenedEmpty(form, type))
  if (isFailed) {
    return (
      <MessageBox
        look="info"
        advice="Você pode salvar mesmo assim. Se algo não funcionar, avisamos na lista."
        actions={
          <Button look="outline" onClick={retry}>
            Tentar novamente
          </Button>
        }
      >
        Não foi possível verificar o código agora.
      </MessageBox>
    )
  }
  return <TagWarnings warnings={isEmptied ? [EMPTY] : (preview?.warnings ?? [])} />
}

function isOpenedEmpty({ formState }: UseFormReturn<PixelForm>, type: PixelForm['type']): boolean {
  return (
    type === 'custom' && (formState.dirtyFields.code === true || formState.defaultValues?.type === 'custom')
  )
}

interface RecognitionNoteProps {
  recognition: ReturnType<typeof useRecognition>
  /** The buttons disappear with the answer; the focus must not. */
  onAnswered: () => void
}

/** Below the code: its vendor, what was filled in, and what is asked before it is replaced. */
export function RecognitionNote({ recognition, onAnswered }: RecognitionNoteProps) {
  const { recognised, about, filled, question, accept, decline } = recognition
  const id = useId()
  const answer = (act: () => void) => () => {
    act()
    onAnswered()
  }
  return (
    <div aria-live="polite" className="contents">
      {recognised === null && about !== null ? <MessageBox look="info">{about}</MessageBox> : null}
      {recognised === null ? null : (
        <div className="message-box flex gap-3 rounded-1 bg-accent-3 px-3.5 py-3 text-[0.9375rem]/[1.45]">
          <span aria-hidden="true" className="mt-px size-5 flex-none *:size-full">
            <ArchIcon />
          </span>
          <div className="min-w-0 flex-1 wrap-anywhere">
            <p className="font-semibold">Código reconhecido: {recognised.name}</p>
            <p className="text-sm empty:hidden">
              {[
                recognised.id === null ? null : `${recognised.id_label ?? 'ID'}: ${recognised.id}.`,
                describeFilled(filled),
              ]
                .filter(Boolean)
                .join(' ')}
            </p>
            {recognised.advice === null ? null : <p className="mt-1 text-sm">{recognised.advice}</p>}
            {question === null ? null : (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of the form, and these are not saved.
              <div role="group" aria-labelledby={id} className="mt-2.5">
                <p id={id} className="text-sm">
                  {describeQuestion(question)}
                </p>
                <div className="mt-2 flex flex-wrap gap-2">
                  <Button look="outline" onClick={answer(accept)}>
                    Alterar
                  </Button>
                  <Button look="outline" onClick={answer(decline)}>
                    Manter como está
                  </Button>
                </div>
              </div>
            )}
          </div>
        </div>
      )}
    </div>
  )
}

/** Before saving: what the tag sends automatically, and its hosts. */
export function TagForecast({ preview: { preview } }: { preview: PreviewState }) {
  if (preview === null) return null
  const hosts = groupHosts(preview.allowed)
  if (preview.sends.length + preview.triggers.length + hosts.length === 0) return null
  return (
    <section
      aria-label="O que esta tag vai fazer"
      className="rounded-1 bg-paper px-4 py-3.5 text-[0.9375rem]"
    >
      {preview.sends.length === 0 ? null : (
        <>
          <h3 className="text-[0.9375rem] tracking-normal">O que será enviado</h3>
          <ul className="mt-1.5 grid gap-1 text-sm text-text-2">
            {preview.sends.map((sentence) => (
              <li key={sentence} className="wrap-anywhere">
                {sentence}
              </li>
            ))}
          </ul>
        </>
      )}
      {preview.triggers.length === 0 ? null : (
        <>
          <h3 className="mt-3 text-[0.9375rem] tracking-normal">Eventos para os acionadores do contêiner</h3>
          <p className="mt-1 text-sm text-text-2">
            No Tag Manager, crie um acionador do tipo "Evento personalizado" com cada nome.
          </p>
          <ul className="mt-1.5 grid gap-1 text-sm text-text-2">
            {preview.triggers.map(({ conversion, event }) => (
              <li key={conversion} className="flex flex-wrap items-center gap-2">
                <span className="flex-1">
                  {CONVERSION_NAMES[conversion]}: <code className="font-mono text-ink">{event}</code>
                </span>
                <CopyButton text={event} />
              </li>
            ))}
          </ul>
        </>
      )}
      {hosts.length === 0 ? null : (
        <details className="group">
          <summary className="flex min-h-11 cursor-pointer items-center gap-1 text-sm font-semibold underline-offset-4 hover:underline">
            <ChevronRight
              aria-hidden="true"
              className="size-4 flex-none transition-transform group-open:rotate-90"
            />
            {formatCount(hosts.length, 'domínio permitido', 'domínios permitidos')}
          </summary>
          <HostList entries={hosts} />
        </details>
      )}
    </section>
  )
}

const PAUSE_MS = 400

/** More characters at once were pasted: there is no need to wait for the next key. */
const PASTED_LENGTH = 4

/** A save waits no longer for this optional help. */
const WAIT_MS = 3_000

export interface PreviewState {
  /** Of the current form, or of the previous one while it is loading. */
  preview: TagPreview | null
  /** True if `preview` belongs to the current form. */
  isCurrent: boolean
  isFailed: boolean
  retry: () => void
}

/** What the code would do, requested a moment after the last key. Newer requests replace older ones. */
export function useTagPreview(form: TagPreviewRequest): PreviewState {
  const { admin } = useServices()
  const asked = JSON.stringify(form)
  const settled = useSettled(asked)
  const isBlank = form.code.trim() === ''
  const { data, isPlaceholderData, isError, refetch } = useQuery({
    ...previewOptions(admin, settled),
    // The settled value may still be the empty field of a moment ago.
    enabled: !isBlank && (JSON.parse(settled) as TagPreviewRequest).code.trim() !== '',
    placeholderData: keepPreviousData,
  })
  return {
    preview: isBlank ? null : (data ?? null),
    isCurrent: !isBlank && asked === settled && data !== undefined && !isPlaceholderData,
    isFailed: !isBlank && isError,
    retry: () => void refetch(),
  }
}

/** The same without waiting for a pause; null if it does not come soon. */
export function useAskPreview(): (form: TagPreviewRequest) => Promise<TagPreview | null> {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return (form) => {
    const answer = queryClient.fetchQuery(previewOptions(admin, JSON.stringify(form))).catch(() => null)
    const tooLate = new Promise<null>((resolve) => setTimeout(() => resolve(null), WAIT_MS))
    return Promise.race([answer, tooLate])
  }
}

function previewOptions(admin: AdminApi, form: string) {
  return queryOptions({
    queryKey: ['tag-preview', form],
    queryFn: ({ signal }) =>
      admin<TagPreview>('/tags/preview', { method: 'POST', body: JSON.parse(form), signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  const last = useRef(value)
  useEffect(() => {
    const isPasted = Math.abs(value.length - last.current.length) >= PASTED_LENGTH
    last.current = value
    const timer = setTimeout(() => setSettled(value), isPasted ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
