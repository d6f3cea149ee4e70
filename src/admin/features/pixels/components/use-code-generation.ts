import { useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { PixelType } from '#contract/pixel.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { type CodeSource, generateCode, isHandEdited } from '../regenerate-code.ts'

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
