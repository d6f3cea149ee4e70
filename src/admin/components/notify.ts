import type { MouseEvent } from 'react'
import { toast } from 'sonner'
import { adviseOnFailure, describeFailure } from '#contract/error-messages.ts'
import { toFailure } from '../lib/request-error.ts'

interface Action {
  label: string
  run: () => void
}

interface Extra {
  /** News about the same thing takes the place of what was said before. */
  about?: string
  /** Offered where it can be taken back. */
  undo?: () => void
}

/** Says what happened. */
export function notifySuccess(text: string, { about, undo }: Extra = {}): void {
  toast.success(text, {
    ...(about === undefined ? {} : { id: about }),
    ...(undo === undefined ? {} : { action: { label: 'Desfazer', onClick: undoInPlace(undo) } }),
  })
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
    duration: 12_000,
    ...(description === '' ? {} : { description }),
    ...(action === undefined ? {} : { action: { label: action.label, onClick: action.run } }),
  })
}

/** Something to see to soon; it stays longer, for it has to be read. */
export function notifyWarning(text: string): void {
  toast.warning(text, { duration: 12_000 })
}
