import { ChevronRight } from 'lucide-react'
import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { Select } from '#admin/components/select.tsx'
import { cn } from '#admin/lib/cn.ts'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { DEFAULT_CATEGORY, PIXEL_TYPE_LABELS, PIXEL_TYPES, type PixelType } from '#contract/pixel.ts'
import { normalizePixelId, pixelIdHint } from '#contract/pixel-id.ts'
import { pixelTypeSchema } from '#contract/pixel-schema.ts'
import { CUSTOM_CODE_PLACEHOLDER } from '#contract/pixel-snippet.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { ID_FIELD_TEXT } from '../id-field-text.ts'
import { PixelIdAdvice } from './pixel-id-advice.tsx'
import type { useCodeGeneration } from './use-code-generation.ts'
import type { useRecognition } from './use-recognition.ts'

const TYPES = PIXEL_TYPES.map((type) => [type, PIXEL_TYPE_LABELS[type]] as const)
const PASTE_HERE = 'Cole aqui o código que a plataforma forneceu, ou preencha o ID e ele é gerado.'
/** Those under "Mais opções". */
const OPTIONAL_FIELDS = ['delivery', 'secrets', 'webhook_url', 'reason'] as const
const CATEGORIES = Object.entries(TAG_CATEGORY_LABELS)

/** On to the next field; whoever is about to close or leave is not asked about the code first. */
function movesOn({ relatedTarget }: FocusEvent): boolean {
  return relatedTarget instanceof Element && relatedTarget.matches('input, select, textarea')
}

interface PixelFormFieldsProps {
  form: UseFormReturn<PixelForm>
  generation: ReturnType<typeof useCodeGeneration>
  recognition: ReturnType<typeof useRecognition>
  /** What is known of the code, under it. */
  aboutCode: ReactNode
  /** How the vendor is told. */
  aboutSending: ReactNode
  /** What the tag will do. */
  aboutTag: ReactNode
  /** Where it runs. */
  aboutPlace: ReactNode
  /** True where the code stands in the page's HTML for everybody. */
  needsNoConsent: boolean
  /** Whoever comes to mend the code begins there. */
  startsAtCode: boolean
  startsAtSending: boolean
  /** False where the server alone tells the vendor. */
  runsCode: boolean
}

export function PixelFormFields(props: PixelFormFieldsProps) {
  const { form, generation, recognition, aboutCode, aboutSending, aboutTag, aboutPlace } = props
  const { needsNoConsent, startsAtCode, startsAtSending, runsCode } = props
  const { register, setValue, watch, formState } = form
  const { errors } = formState
  const [type, pixelId, category] = watch(['type', 'pixel_id', 'consent_category'])
  const idText = type === 'custom' ? null : ID_FIELD_TEXT[type]
  const changeType = (next: PixelType) => {
    if (!recognition.onTypeChange(next)) generation.onTypeChange(next)
  }
  return (
    <>
      <Field label="Nome do Pixel" error={errors.name?.message}>
        {(control) => (
          <Input
            placeholder="Meta Pixel Principal"
            autoComplete="off"
            required
            {...control}
            {...register('name')}
          />
        )}
      </Field>
      <div className="grid gap-4.5 sm:grid-cols-2">
        <Field label="Tipo de Pixel" className={cn(!idText && 'sm:col-span-2')}>
          {(control) => (
            <Select
              options={TYPES}
              {...control}
              {...register('type', {
                onChange: (event) => {
                  const next = pixelTypeSchema.parse(event.target.value)
                  // A category that was only the type's default goes with the type.
                  if (category === DEFAULT_CATEGORY[type]) {
                    setValue('consent_category', DEFAULT_CATEGORY[next])
                  }
                  changeType(next)
                },
              })}
            />
          )}
        </Field>
        {idText ? (
          <Field label={idText.label} error={errors.pixel_id?.message} hint={pixelIdHint(type, pixelId)}>
            {(control) => (
              <Input
                placeholder={idText.example}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                required
                className="font-mono"
                {...control}
                {...register('pixel_id', {
                  onChange: ({ target }) => {
                    const id = normalizePixelId(target.value)
                    if (id !== target.value) setValue('pixel_id', id, { shouldDirty: true })
                    generation.onIdChange(id)
                  },
                  onBlur: (event) => movesOn(event) && generation.onIdLeave(),
                })}
              />
            )}
          </Field>
        ) : null}
      </div>
      <PixelIdAdvice form={form} onTypeChange={changeType} />
      <Field
        label="Código do Pixel"
        error={errors.code?.message}
        hint={runsCode ? null : 'Com o envio pelo servidor, este código fica guardado e não roda na página.'}
      >
        {(control) => (
          <textarea
            rows={12}
            spellCheck={false}
            autoCapitalize="none"
            placeholder={type === 'custom' ? CUSTOM_CODE_PLACEHOLDER : PASTE_HERE}
            // The comment marks the place: pasting replaces it.
            onFocus={({ target }) => target.value === CUSTOM_CODE_PLACEHOLDER && target.select()}
            className="control resize-y py-3 font-mono text-[0.8125rem]/[1.6] whitespace-pre placeholder:whitespace-pre-wrap pointer-coarse:text-base/[1.5]"
            {...control}
            {...(startsAtCode ? { 'data-autofocus': true } : {})}
            {...register('code', { onChange: (event) => recognition.onCodeChange(event.target.value) })}
          />
        )}
      </Field>
      {aboutCode}
      <Field
        label="Consentimento necessário"
        hint={
          needsNoConsent
            ? 'Não se aplica: isto fica no HTML da página, para todos.'
            : 'A tag só roda para quem aceitou esta categoria.'
        }
      >
        {(control) => (
          <Select
            options={CATEGORIES}
            {...control}
            {...register('consent_category', { onChange: recognition.onCategoryChange })}
          />
        )}
      </Field>
      {aboutTag}
      <label className="flex min-h-11 items-center gap-3 text-[0.9375rem] font-semibold">
        <input type="checkbox" className="size-5.5 accent-ink" {...register('is_active')} />
        Pixel ativo
      </label>
      <MoreOptions form={form} startsOpen={startsAtSending}>
        {aboutSending}
        {aboutPlace}
        <Field
          label="Por que ativar? (opcional)"
          error={errors.reason?.message}
          hint="Fica no inventário, com o seu nome e a data."
        >
          {(control) => (
            <Input
              placeholder="Medir as campanhas do verão"
              autoComplete="off"
              {...control}
              {...register('reason')}
            />
          )}
        </Field>
        <label className="grid grid-cols-[1.375rem_minmax(0,1fr)] items-start gap-x-3 py-2.5 text-[0.9375rem] font-semibold">
          <input type="checkbox" className="size-5.5 accent-ink" {...register('auto_disable')} />
          <span>
            Pausar sozinha se falhar ou pesar
            <span className="block text-sm font-normal text-pretty text-text-2">
              Quando falhar em mais da metade de 50 visitas ou mais em dez minutos, ou ocupar o navegador por
              mais de 500 ms em mais de uma em cada quatro visitas medidas em uma hora, ela sai da página e os
              administradores recebem um e-mail. Desmarcado, o painel só avisa.
            </span>
          </span>
        </label>
      </MoreOptions>
    </>
  )
}

interface MoreOptionsProps {
  form: UseFormReturn<PixelForm>
  startsOpen: boolean
  children: ReactNode
}

/** What most pixels never need. It opens by itself when a field in it has a fault. */
function MoreOptions({ form, startsOpen, children }: MoreOptionsProps) {
  const { errors } = form.formState
  const hasFault = OPTIONAL_FIELDS.some((field) => errors[field] !== undefined)
  const [isOpen, setOpen] = useState(startsOpen)
  const [hadFault, setHadFault] = useState(false)
  if (hasFault !== hadFault) {
    setHadFault(hasFault)
    if (hasFault) setOpen(true)
  }
  const part = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    // While it was closed, nothing in it could take the focus.
    if (hadFault) part.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [hadFault])
  return (
    <details
      ref={part}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded-1 border border-line"
    >
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 px-4 py-2 text-[0.9375rem] font-semibold">
        <ChevronRight
          aria-hidden="true"
          className="size-5 flex-none transition-transform group-open:rotate-90"
        />
        <span>
          Mais opções
          <span className="block text-sm font-normal text-text-2">
            Envio, onde roda, motivo e pausa automática
          </span>
        </span>
      </summary>
      <div className="grid grid-cols-1 gap-4.5 px-4 pt-2 pb-4">{children}</div>
    </details>
  )
}
