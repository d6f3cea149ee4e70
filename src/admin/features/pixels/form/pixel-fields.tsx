import { ChevronRight } from 'lucide-react'
import { type FocusEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { ChoiceCard, FormField } from '#admin/components/form.tsx'
import { HelpLink } from '#admin/components/help-link.tsx'
import { Input, Select } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { cn } from '#admin/lib/cn.ts'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { CONVERSION_NAMES, CONVERSIONS } from '#contract/conversions.ts'
import {
  DEFAULT_CATEGORY,
  mayBeIsolated,
  PIXEL_RUNS_IN,
  PIXEL_TYPE_LABELS,
  PIXEL_TYPES,
  type PixelRunsIn,
  type PixelType,
  RUNS_IN_LABELS,
  type RunsInProposal,
} from '#contract/pixel.ts'
import { findPixelIdFault, normalizePixelId, pixelIdHint } from '#contract/pixel-id.ts'
import { pixelTypeSchema } from '#contract/pixel-schema.ts'
import { CUSTOM_CODE_PLACEHOLDER } from '#contract/pixel-snippet.ts'
import type { ConversionLabelField } from '#contract/tag-status.ts'
import type { PreviewState } from './code-help.tsx'
import type { useCodeGeneration, useRecognition } from './recognition.ts'
import { givenLabels, type PixelForm } from './schema.ts'
import { TEXT_COLUMNS, TextFields } from './text-fields.tsx'

interface ConversionLabelFieldsProps {
  form: UseFormReturn<PixelForm>
  preview: PreviewState
}

/** If the vendor identifies conversions by label: one field for each conversion. */
export function ConversionLabelFields({ form, preview: { preview } }: ConversionLabelFieldsProps) {
  const fields = preview?.labels ?? storedFields(form)
  if (fields.length === 0) return null
  const typed = Object.values(form.watch('conversion_labels'))
  return (
    <fieldset className="grid gap-3">
      <legend className="text-[0.9375rem] font-semibold">Rótulos de conversão</legend>
      <p className="text-sm text-text-2">Só enviamos as conversões que têm rótulo.</p>
      {fields.map(({ conversion, label, placeholder, found }) => (
        <FormField key={conversion} form={form} name={`conversion_labels.${conversion}`} label={label}>
          {(control) => (
            <>
              <Input
                placeholder={placeholder}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                className="font-mono"
                {...control}
              />
              {found === null || typed.includes(found) ? null : (
                <Button
                  look="outline"
                  className="justify-self-start"
                  onClick={() => {
                    form.setValue(`conversion_labels.${conversion}`, found, { shouldDirty: true })
                    form.setFocus(`conversion_labels.${conversion}`)
                  }}
                >
                  Usar {found}, que está no código
                </Button>
              )}
            </>
          )}
        </FormField>
      ))}
    </fieldset>
  )
}

/** While the vendor's labels are unknown: stored ones can be seen and changed. */
function storedFields({ getValues }: UseFormReturn<PixelForm>): ConversionLabelField[] {
  if (Object.keys(givenLabels(getValues('conversion_labels'))).length === 0) return []
  return CONVERSIONS.map((conversion) => ({
    conversion,
    label: CONVERSION_NAMES[conversion],
    placeholder: '',
    found: null,
  }))
}

const TYPES = PIXEL_TYPES.map((type) => [type, PIXEL_TYPE_LABELS[type]] as const)

const PASTE_HERE = 'Cole aqui o código que a plataforma forneceu, ou preencha o ID e ele é gerado.'

/** The fields under "Mais opções". */
const OPTIONAL_FIELDS = [
  'delivery',
  'secrets',
  'webhook_url',
  'destination_account',
  'event_ids',
  ...TEXT_COLUMNS,
] as const

const CATEGORIES = Object.entries(TAG_CATEGORY_LABELS)

/** Moves to the next field; a person who closes or leaves is not asked about the code first. */
function movesOn({ relatedTarget }: FocusEvent): boolean {
  return relatedTarget instanceof Element && relatedTarget.matches('input, select, textarea')
}

interface PixelFormFieldsProps {
  form: UseFormReturn<PixelForm>
  generation: ReturnType<typeof useCodeGeneration>
  recognition: ReturnType<typeof useRecognition>
  /** Below the code. */
  aboutCode: ReactNode
  /** How events are sent. */
  aboutSending: ReactNode
  /** What the tag will do. */
  aboutTag: ReactNode
  /** Where it runs. */
  aboutPlace: ReactNode
  /** True if the code is in the page's HTML for everybody. */
  needsNoConsent: boolean
  /** A person who came to fix the code starts there. */
  startsAtCode: boolean
  startsAtSending: boolean
  /** False if only the server sends. */
  runsCode: boolean
}

export function PixelFormFields(props: PixelFormFieldsProps) {
  const { form, generation, recognition, aboutCode, aboutSending, aboutTag, aboutPlace } = props
  const { needsNoConsent, startsAtCode, startsAtSending, runsCode } = props
  const { register, setValue, watch } = form
  const [type, pixelId, category] = watch(['type', 'pixel_id', 'consent_category'])
  const idText = type === 'custom' ? null : ID_FIELD_TEXT[type]
  const changeType = (next: PixelType) => {
    if (!recognition.onTypeChange(next)) generation.onTypeChange(next)
  }
  return (
    <>
      <FormField form={form} name="name" label="Nome do Pixel">
        {(control) => <Input placeholder="Meta Pixel Principal" autoComplete="off" required {...control} />}
      </FormField>
      <div className="grid gap-4.5 sm:grid-cols-2">
        <FormField
          form={form}
          name="type"
          rules={{
            onChange: (event) => {
              const next = pixelTypeSchema.parse(event.target.value)
              // A category that was the type's default changes with the type.
              if (category === DEFAULT_CATEGORY[type]) setValue('consent_category', DEFAULT_CATEGORY[next])
              changeType(next)
            },
          }}
          label="Tipo de Pixel"
          className={cn(!idText && 'sm:col-span-2')}
        >
          {(control) => <Select options={TYPES} {...control} />}
        </FormField>
        {idText ? (
          <FormField
            form={form}
            name="pixel_id"
            rules={{
              onChange: ({ target }) => {
                const id = normalizePixelId(target.value)
                if (id !== target.value) setValue('pixel_id', id, { shouldDirty: true })
                generation.onIdChange(id)
              },
              onBlur: (event) => movesOn(event) && generation.onIdLeave(),
            }}
            label={idText.label}
            hint={pixelIdHint(type, pixelId)}
          >
            {(control) => (
              <Input
                placeholder={idText.example}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                required
                className="font-mono"
                {...control}
              />
            )}
          </FormField>
        ) : null}
      </div>
      <PixelIdAdvice form={form} onTypeChange={changeType} />
      <FormField
        form={form}
        name="code"
        rules={{ onChange: (event) => recognition.onCodeChange(event.target.value) }}
        label="Código do Pixel"
        hint={runsCode ? null : 'Com o envio pelo servidor, este código fica salvo, mas não roda na página.'}
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
          />
        )}
      </FormField>
      {aboutCode}
      <FormField
        form={form}
        name="consent_category"
        rules={{ onChange: recognition.onCategoryChange }}
        label="Consentimento necessário"
        hint={
          needsNoConsent
            ? 'Não se aplica: este código faz parte da página e aparece para todas as pessoas.'
            : 'A tag só roda para quem aceitou esta categoria.'
        }
      >
        {(control) => <Select options={CATEGORIES} {...control} />}
      </FormField>
      {aboutTag}
      <label className="flex min-h-11 items-center gap-3 text-[0.9375rem] font-semibold">
        <input type="checkbox" className="size-5.5 accent-ink" {...register('is_active')} />
        Pixel ativo
      </label>
      <MoreOptions form={form} startsOpen={startsAtSending}>
        {aboutSending}
        {aboutPlace}
        <TextFields form={form} />
        <label className="grid grid-cols-[1.375rem_minmax(0,1fr)] items-start gap-x-3 py-2.5 text-[0.9375rem] font-semibold">
          <input type="checkbox" className="size-5.5 accent-ink" {...register('auto_disable')} />
          <span>
            Pausar automaticamente em caso de problema
            <span className="block text-sm font-normal text-pretty text-text-2">
              Se a tag falhar ou deixar a página lenta, ela sai do site e os administradores recebem um
              e-mail. Sem esta opção, só avisamos no painel.
            </span>
          </span>
        </label>
        <SaibaMais about="sobre a pausa automática" topic="pausa automática" className="-mt-4 pl-[2.125rem]">
          <p>
            Pausamos a tag quando ela falha em mais da metade das visitas em 10 minutos (mínimo de 50 visitas)
            ou quando ocupa o navegador por mais de 500 ms em mais de 1 em cada 4 visitas medidas em 1 hora.
          </p>
        </SaibaMais>
      </MoreOptions>
    </>
  )
}

interface MoreOptionsProps {
  form: UseFormReturn<PixelForm>
  startsOpen: boolean
  children: ReactNode
}

/** Rarely needed fields. It opens by itself when one of them has an error. */
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
            Envio dos dados, onde a tag roda, motivo e pausa automática
          </span>
        </span>
      </summary>
      <div className="grid grid-cols-1 gap-4.5 px-4 pt-2 pb-4">{children}</div>
    </details>
  )
}

const MEANINGS: Record<PixelRunsIn, string> = {
  page: 'Acesso completo à página, inclusive ao que se digita em formulários. Necessário para chat, mapa de calor e captura de formulários.',
  isolated:
    'Separada da página: mede visitas e conversões, mas não vê o conteúdo nem o que se digita, não mostra nada na tela e não salva cookies no site.',
}

interface RunsInChoiceProps {
  form: UseFormReturn<PixelForm>
  /** Shown, and only applied by a click. */
  proposal: RunsInProposal | null
}

/** "Onde a tag roda": in the page, or in a frame of its own. */
export function RunsInChoice({ form, proposal }: RunsInChoiceProps) {
  const [type, current] = form.watch(['type', 'runs_in'])
  const id = useId()
  if (!mayBeIsolated(type)) return null
  return (
    <fieldset aria-describedby={`${id}-proposal`} className="grid grid-cols-1 gap-2">
      <legend className="pb-1.5 text-[0.9375rem] font-semibold">Onde a tag roda</legend>
      {PIXEL_RUNS_IN.map((choice) => (
        <ChoiceCard
          key={choice}
          name={id}
          value={choice}
          label={RUNS_IN_LABELS[choice]}
          meaning={MEANINGS[choice]}
          mark={proposal?.runs_in === choice ? 'Sugerida para este código' : null}
          checked={choice === current}
          onChange={() => form.setValue('runs_in', choice, { shouldDirty: true })}
        />
      ))}
      <p id={`${id}-proposal`} role="status" className="text-sm text-pretty text-text-2 empty:hidden">
        {proposal?.reason}
      </p>
      <HelpLink topic="isolada da página" inText />
      {current === 'isolated' ? (
        <SaibaMais about="sobre tags isoladas">
          <p>
            Mesmo isolada, uma tag ainda pode se comunicar com outros domínios por WebRTC e, em alguns
            navegadores, deixar a página lenta.
          </p>
        </SaibaMais>
      ) : null}
    </fieldset>
  )
}

interface IdFieldText {
  label: string
  example: string
}

/** Label and example of the ID field by type; a custom pixel has none. */
const ID_FIELD_TEXT: Record<Exclude<PixelType, 'custom'>, IdFieldText> = {
  meta: { label: 'Pixel ID', example: '' },
  google_analytics: { label: 'Measurement ID (GA4)', example: 'G-XXXXXXXXXX' },
  google_tag_manager: { label: 'Container ID (GTM)', example: 'GTM-XXXXXXX' },
}

interface PixelIdAdviceProps {
  form: UseFormReturn<PixelForm>
  /** Called when the type changed. */
  onTypeChange: (type: PixelType) => void
}

/** Below the ID: why it cannot be one of this type, and whose it is. */
function PixelIdAdvice({ form, onTypeChange }: PixelIdAdviceProps) {
  const [type, pixelId, category] = form.watch(['type', 'pixel_id', 'consent_category'])
  const fault = findPixelIdFault(type, pixelId)
  const other = fault?.type ?? null
  const switchType = (next: PixelType) => {
    form.setValue('type', next, { shouldDirty: true })
    if (category === DEFAULT_CATEGORY[type]) form.setValue('consent_category', DEFAULT_CATEGORY[next])
    onTypeChange(next)
    form.setFocus('pixel_id')
  }
  return (
    <div aria-live="polite" className="contents">
      {fault === null ? null : (
        <MessageBox
          look="warn"
          actions={
            other === null ? undefined : (
              <Button look="outline" onClick={() => switchType(other)}>
                Alterar o tipo para {PIXEL_TYPE_LABELS[other]}
              </Button>
            )
          }
        >
          {fault.message}
        </MessageBox>
      )}
    </div>
  )
}
