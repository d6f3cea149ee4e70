import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { formatList } from '#admin/lib/format.ts'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { PIXEL_TYPE_LABELS, type PixelType } from '#contract/pixel.ts'
import { CUSTOM_CODE_PLACEHOLDER, generateSnippet } from '#contract/pixel-snippet.ts'
import type { RecognisedTag, TagPreview } from '#contract/tag-status.ts'
import type { PreviewState } from './code-help.tsx'
import type { PixelForm } from './schema.ts'

/** More characters at once were pasted. */
const PASTED_LENGTH = 4

interface RecognitionOptions {
  form: UseFormReturn<PixelForm>
  generation: ReturnType<typeof useCodeGeneration>
  preview: PreviewState
  /** The stored code, about which nothing is asked; null for a new pixel. */
  storedCode: string | null
}

/** The recognised vendor fills in empty fields, and asks before it replaces what was typed or chosen. */
export function useRecognition({ form, generation, preview, storedCode }: RecognitionOptions) {
  const { getValues, setValue, formState } = form
  const isNew = storedCode === null
  const chosen = useRef({ type: !isNew, consent_category: !isNew })
  const written = useRef<FilledFields>({})
  const isPasted = useRef(false)
  const lastLength = useRef(getValues('code').length)
  /** Declined by the person, for this vendor and account. */
  const [declined, setDeclined] = useState<string | null>(null)
  const [filled, setFilled] = useState<FilledFields>({})

  const recognised = preview.preview?.recognised ?? null
  const code = form.watch('code')
  const isConcerned = code !== storedCode && generation.isHandEdited(code)
  const plan = recognised !== null && isConcerned && preview.isCurrent ? planFor(recognised) : null
  /** Pasted code of an unknown vendor: there is no ID to ask for. */
  const isUnknown = isConcerned && preview.isCurrent && isPasted.current && preview.preview?.about != null
  const asksNothing = plan === null || Object.keys(plan.ask).length === 0 || declined === keyOf(recognised)

  function planFor(tag: RecognisedTag) {
    return planFill(getValues(), tag, {
      chosen: chosen.current,
      filled: written.current,
      isPasted: isPasted.current,
    })
  }

  function write(fields: FilledFields): void {
    const entries = Object.entries(fields) as [keyof FilledFields, string][]
    if (entries.length === 0) return
    for (const [field, value] of entries) {
      setValue(field, value as never, { shouldDirty: true, shouldValidate: formState.isSubmitted })
    }
    written.current = { ...written.current, ...fields }
    lastLength.current = getValues('code').length
    setFilled((before) => ({ ...before, ...fields }))
    // The code stays as pasted: type and ID are the new starting point.
    generation.restart()
  }

  function take(answer: TagPreview | null): void {
    if (answer?.recognised) write(planFor(answer.recognised).set)
  }

  const onAnswer = useEffectEvent(() => {
    if (plan !== null) write(plan.set)
    else if (isUnknown && !chosen.current.type && getValues('pixel_id').trim() === '')
      write({ type: 'custom' })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer about what is in the form is what it waits for.
  useEffect(() => onAnswer(), [preview.preview, preview.isCurrent])

  return {
    /** Null for generated or stored code, which needs no note. */
    recognised: isConcerned || !isNew || Object.keys(filled).length > 0 ? recognised : null,
    about: isConcerned ? (preview.preview?.about ?? null) : null,
    filled,
    question: asksNothing ? null : plan.ask,
    accept(): void {
      if (plan === null) return
      chosen.current = { type: false, consent_category: false }
      write({ ...plan.set, ...plan.ask })
    },
    decline: () => setDeclined(keyOf(recognised)),
    /** Applies a result that arrived before a save. */
    take,
    onCodeChange(next: string): void {
      isPasted.current = Math.abs(next.length - lastLength.current) >= PASTED_LENGTH
      lastLength.current = next.length
      setFilled({})
    },
    onCategoryChange(): void {
      chosen.current.consent_category = true
    },
    /** Returns true if the code already is of this type: its ID is used, and nothing is generated. */
    onTypeChange(type: PixelType): boolean {
      chosen.current.type = true
      if (type === 'custom' || recognised?.type !== type || !preview.isCurrent || !isConcerned) return false
      if (recognised.id !== null && getValues('pixel_id').trim() === '') write({ pixel_id: recognised.id })
      else generation.restart()
      return true
    },
  }
}

function keyOf(recognised: RecognisedTag | null): string | null {
  return recognised && `${recognised.vendor} ${recognised.id}`
}

/**
 * Keeps generated code in step with type and ID. Once edited by hand, the person is asked before it is replaced: at
 * once for the type, and for the ID when its field is left.
 */
export function useCodeGeneration({ getValues, setValue }: UseFormReturn<PixelForm>) {
  const [source, setSource] = useState<CodeSource>(() => readSource())
  const [question, setQuestion] = useState<CodeSource | null>(null)
  /** The ID for which the person decided to keep their code. */
  const kept = useRef<CodeSource>(source)

  function readSource(): CodeSource {
    const { type, pixel_id } = getValues()
    return { type, pixelId: pixel_id }
  }

  function regenerate(next: CodeSource): void {
    setValue('code', generateCode(next), { shouldDirty: true, shouldValidate: true })
    settle(next)
  }

  function settle(next: CodeSource): void {
    // A custom pixel has no ID: it is dropped.
    const settled = next.type === 'custom' ? { ...next, pixelId: '' } : next
    if (settled !== next) setValue('pixel_id', '', { shouldDirty: true })
    setSource(settled)
    kept.current = settled
    setQuestion(null)
  }

  const editedByHand = () => isHandEdited(getValues('code'), source)

  return {
    question,
    isHandEdited: (code: string) => isHandEdited(code, source),
    onTypeChange(type: PixelType): void {
      const next = { type, pixelId: getValues('pixel_id') }
      if (editedByHand()) setQuestion(next)
      else regenerate(next)
    },
    onIdChange(pixelId: string): void {
      if (!editedByHand()) regenerate({ type: getValues('type'), pixelId })
    },
    /** Returns false if a question must be answered first. */
    onIdLeave(): boolean {
      const next = readSource()
      if (next.type === 'custom' || next.pixelId.trim() === kept.current.pixelId.trim() || !editedByHand())
        return true
      setQuestion(next)
      return false
    },
    /** The form was filled again: its values are the new starting point. */
    restart(): void {
      const next = readSource()
      setSource(next)
      kept.current = next
      setQuestion(null)
    },
    keepCode(): void {
      if (question !== null) settle(question)
    },
    replaceCode(): void {
      if (question !== null) regenerate(question)
    },
  }
}

/** The fields that recognition can fill in. */
type FilledFields = Partial<Pick<PixelForm, 'name' | 'type' | 'pixel_id' | 'code' | 'consent_category'>>

export interface FillContext {
  /** Chosen or stored by a person. */
  chosen: { type: boolean; consent_category: boolean }
  /** What recognition filled in before and may replace. */
  filled: FilledFields
  /** Pasted, not typed: only then is a bare ID complete. */
  isPasted: boolean
}

interface FillPlan {
  set: FilledFields
  /** Would replace what was typed or chosen: asked about after applying `set`. */
  ask: FilledFields
}

/** What a recognised paste fills in, and what it asks about first. */
export function planFill(form: PixelForm, recognised: RecognisedTag, context: FillContext): FillPlan {
  const isFree = (field: 'name' | 'pixel_id') =>
    form[field].trim() === '' || form[field] === context.filled[field]
  const set: FilledFields = isFree('name') && form.name !== recognised.name ? { name: recognised.name } : {}
  const ask: FilledFields = {}

  const keepsId = isFree('pixel_id') || recognised.id === form.pixel_id.trim()
  const isTypeFree = !context.chosen.type && keepsId
  if (recognised.type !== form.type) (isTypeFree ? set : ask).type = recognised.type

  const id = recognised.type === 'custom' ? '' : recognised.id
  if (id !== null && id !== form.pixel_id.trim()) {
    // Together with the type: an ID means nothing for another one.
    ;(ask.type === undefined && isFree('pixel_id') ? set : ask).pixel_id = id
  }
  if (recognised.category !== null && recognised.category !== form.consent_category) {
    ;(context.chosen.consent_category ? ask : set).consent_category = recognised.category
  }
  if (recognised.code !== null && recognised.code !== form.code) {
    ;(context.isPasted && ask.type === undefined && ask.pixel_id === undefined ? set : ask).code =
      recognised.code
  }
  return { set, ask }
}

/** "Alterar o tipo para Meta e o ID para 4829…?" */
export function describeQuestion({ type, pixel_id, consent_category, code }: FilledFields): string {
  const parts = [
    ...(type === undefined ? [] : [`o tipo para ${PIXEL_TYPE_LABELS[type]}`]),
    ...(pixel_id === undefined || pixel_id === '' ? [] : [`o ID para ${pixel_id}`]),
    ...(consent_category === undefined
      ? []
      : [`o consentimento para ${TAG_CATEGORY_LABELS[consent_category]}`]),
    ...(code === undefined ? [] : ['o texto colado para o código completo']),
  ]
  const dropped = pixel_id === '' ? ' O ID atual será apagado.' : ''
  return `Alterar ${formatList(parts)}?${dropped}`
}

/** "Preenchemos nome, tipo e ID." Null if nothing was filled in. */
export function describeFilled(filled: FilledFields): string | null {
  const names = [
    ...(filled.name === undefined ? [] : ['o nome']),
    ...(filled.type === undefined ? [] : ['o tipo']),
    ...(filled.pixel_id === undefined || filled.pixel_id === '' ? [] : ['o ID']),
    ...(filled.consent_category === undefined ? [] : ['o consentimento']),
    ...(filled.code === undefined ? [] : ['o código']),
  ]
  return names.length === 0 ? null : `Preenchemos ${formatList(names)} para você. Confira antes de salvar.`
}

/** What code is generated from. */
interface CodeSource {
  type: PixelType
  pixelId: string
}

/** The generated code; empty without an ID. */
export function generateCode({ type, pixelId }: CodeSource): string {
  return pixelId.trim() === '' ? '' : generateSnippet(type, pixelId)
}

/** True if the code differs from what was generated for its source. */
export function isHandEdited(code: string, source: CodeSource): boolean {
  const written = normalize(code)
  if (written === '' || written === CUSTOM_CODE_PLACEHOLDER) return false
  return written !== normalize(generateCode(source))
}

/** Browsers return a textarea's lines with LF. */
function normalize(code: string): string {
  return code.replaceAll('\r\n', '\n').trim()
}
