import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { formatList } from '#admin/lib/format.ts'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { PIXEL_TYPE_LABELS, type PixelType } from '#contract/pixel.ts'
import { CUSTOM_CODE_PLACEHOLDER, generateSnippet } from '#contract/pixel-snippet.ts'
import type { RecognisedTag, TagPreview } from '#contract/tag-status.ts'
import type { PreviewState } from './code-help.tsx'
import type { PixelForm } from './schema.ts'

/** More than this at once is no typing. */
const PASTED_LENGTH = 4

interface RecognitionOptions {
  form: UseFormReturn<PixelForm>
  generation: ReturnType<typeof useCodeGeneration>
  preview: PreviewState
  /** The code as it is stored, about which nothing is asked; null for a new pixel. */
  storedCode: string | null
}

/** Whose the pasted code is fills in what is empty, and asks before it replaces what somebody wrote or chose. */
export function useRecognition({ form, generation, preview, storedCode }: RecognitionOptions) {
  const { getValues, setValue, formState } = form
  const isNew = storedCode === null
  const chosen = useRef({ type: !isNew, consent_category: !isNew })
  const written = useRef<FilledFields>({})
  const isPasted = useRef(false)
  const lastLength = useRef(getValues('code').length)
  /** Kept as they were by the person's own word, for this vendor and account. */
  const [declined, setDeclined] = useState<string | null>(null)
  const [filled, setFilled] = useState<FilledFields>({})

  const recognised = preview.preview?.recognised ?? null
  const code = form.watch('code')
  const isConcerned = code !== storedCode && generation.isHandEdited(code)
  const plan = recognised !== null && isConcerned && preview.isCurrent ? planFor(recognised) : null
  /** Code that arrived whole and is nobody's: without a vendor there is no ID to ask for. */
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
    // The code stays as it was pasted: type and ID are where it starts from now.
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
    /** Null while the code is the generated or the stored one, which need no word. */
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
    /** Applies an answer that came before a save. */
    take,
    onCodeChange(next: string): void {
      isPasted.current = Math.abs(next.length - lastLength.current) >= PASTED_LENGTH
      lastLength.current = next.length
      setFilled({})
    },
    onCategoryChange(): void {
      chosen.current.consent_category = true
    },
    /** Returns true when the code already is of this type: then its ID is taken over, and nothing is generated. */
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
 * Keeps the code true to type and ID while it is the generated one. Once somebody wrote in it, they are asked before
 * it is replaced: at once for the type, and for the ID when its field is left, not at each key.
 */
export function useCodeGeneration({ getValues, setValue }: UseFormReturn<PixelForm>) {
  const [source, setSource] = useState<CodeSource>(() => readSource())
  const [question, setQuestion] = useState<CodeSource | null>(null)
  /** The ID that the person already decided to keep their code for. */
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
    // A custom pixel has no ID: it gave the code its start, and is dropped.
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
    /** Returns false when there is something to ask first. */
    onIdLeave(): boolean {
      const next = readSource()
      if (next.type === 'custom' || next.pixelId.trim() === kept.current.pixelId.trim() || !editedByHand())
        return true
      setQuestion(next)
      return false
    },
    /** The form was filled anew: what it holds now is where we start from. */
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

/** What recognition can write. */
type FilledFields = Partial<Pick<PixelForm, 'name' | 'type' | 'pixel_id' | 'code' | 'consent_category'>>

export interface FillContext {
  /** Chosen by a person, or stored by one. */
  chosen: { type: boolean; consent_category: boolean }
  /** What recognition wrote before, which it may replace. */
  filled: FilledFields
  /** Arrived in one piece, and not key by key: only then is a bare ID known to be whole. */
  isPasted: boolean
}

interface FillPlan {
  set: FilledFields
  /** Would replace what somebody wrote or chose: asked about, with `set` already made. */
  ask: FilledFields
}

/** What a recognised paste writes into the form by itself, and what it asks about first. */
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
    // With the type: an ID means nothing in the field of another one.
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

/** "Trocar o tipo para Meta e o ID para 4829…?" */
export function describeQuestion({ type, pixel_id, consent_category, code }: FilledFields): string {
  const parts = [
    ...(type === undefined ? [] : [`o tipo para ${PIXEL_TYPE_LABELS[type]}`]),
    ...(pixel_id === undefined || pixel_id === '' ? [] : [`o ID para ${pixel_id}`]),
    ...(consent_category === undefined
      ? []
      : [`o consentimento para ${TAG_CATEGORY_LABELS[consent_category]}`]),
    ...(code === undefined ? [] : ['o texto colado pelo código inteiro']),
  ]
  const dropped = pixel_id === '' ? ' O ID que está no campo sai.' : ''
  return `Trocar ${formatList(parts)}?${dropped}`
}

/** "Preenchemos nome, tipo e ID." Null when nothing was. */
export function describeFilled(filled: FilledFields): string | null {
  const names = [
    ...(filled.name === undefined ? [] : ['o nome']),
    ...(filled.type === undefined ? [] : ['o tipo']),
    ...(filled.pixel_id === undefined || filled.pixel_id === '' ? [] : ['o ID']),
    ...(filled.consent_category === undefined ? [] : ['o consentimento']),
    ...(filled.code === undefined ? [] : ['o código']),
  ]
  return names.length === 0 ? null : `Preenchemos ${formatList(names)}. Mude o que quiser.`
}

/** What the code is made from. */
interface CodeSource {
  type: PixelType
  pixelId: string
}

/** The code that a type and an ID give: empty without an ID. */
export function generateCode({ type, pixelId }: CodeSource): string {
  return pixelId.trim() === '' ? '' : generateSnippet(type, pixelId)
}

/** True when somebody wrote in it: it is not what generation gave for the source it was made from. */
export function isHandEdited(code: string, source: CodeSource): boolean {
  const written = normalize(code)
  if (written === '' || written === CUSTOM_CODE_PLACEHOLDER) return false
  return written !== normalize(generateCode(source))
}

/** Browsers hand a textarea's lines back with LF, whatever they were. */
function normalize(code: string): string {
  return code.replaceAll('\r\n', '\n').trim()
}
