import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { PixelType } from '#contract/pixel.ts'
import type { RecognisedTag, TagPreview } from '#contract/tag-status.ts'
import type { PreviewState } from '../api/preview-tag.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { type FilledFields, planFill } from '../plan-fill.ts'
import type { useCodeGeneration } from './use-code-generation.ts'

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
