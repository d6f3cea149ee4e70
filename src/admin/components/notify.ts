import type { MouseEvent } from 'react'
import { toast } from 'sonner'
import { adviseOnFailure, describeFailure } from '#contract/error-messages.ts'
import { toFailure } from '../lib/request-error.ts'
import { forgetUndo, offerUndo } from '../lib/undo-key.ts'
import { UNDO_LABEL } from './undo-label.tsx'

interface Action {
  label: string
  run: () => void
}

interface Extra {
  /** News about the same thing takes the place of what was said before. */
  about?: string
  /** Offered where it can be taken back, to the mouse and as Ctrl+Z. */
  undo?: () => void
}

/** Long enough to reach it without a mouse. */
const UNDO_MS = 15_000
const LONG_MS = 12_000

/** Says what happened. */
export function notifySuccess(text: string, { about, undo }: Extra = {}): void {
  const id = about ?? crypto.randomUUID()
  if (undo === undefined) {
    toast.success(text, { id })
    return
  }
  toast.success(text, {
    id,
    duration: UNDO_MS,
    action: { label: UNDO_LABEL, onClick: undoInPlace(undo) },
    onDismiss: () => forgetUndo(id),
    onAutoClose: () => forgetUndo(id),
  })
  offerUndo(id, undo)
}

/** The toast stays until the news of the undoing takes its place; one that is leaving cannot be replaced. */
function undoInPlace(undo: () => void) {
  return (event: MouseEvent) => {
    event.preventDefault()
    undo()
  }
}

/** Says what did not happen, why, and how to go on. It stays longer, for it has to be read. */
export function notifyFailure(title: string, error: unknown, action?: Action): void {
  const failure = toFailure(error)
  const reason = describeFailure(failure, '')
  const description = [reason, adviseOnFailure(failure)].filter((part) => part && part !== title).join(' ')
  toast.error(title, {
    duration: LONG_MS,
    ...(description === '' ? {} : { description }),
    ...(action === undefined ? {} : { action: { label: action.label, onClick: action.run } }),
  })
}

/** Something to see to soon; it stays longer, for it has to be read. */
export function notifyWarning(text: string, description?: string): void {
  toast.warning(text, { duration: LONG_MS, ...(description === undefined ? {} : { description }) })
}
