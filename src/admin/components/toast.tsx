import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import { adviseOnFailure, describeFailure, isSessionOver } from '#contract/error-messages.ts'
import { toFailure } from '../lib/api.ts'

const WIDE = '(min-width: 53.75rem)'

/**
 * Notifications stand where nothing is to be done: over the header of a phone, and in the lower left corner of
 * anything larger, for what a row offers is on its right. A dialog lies over it.
 */
export function Toaster() {
  const wide = useSyncExternalStore(subscribe, () => matchMedia(WIDE).matches)
  useEffect(watchUndoKey, [])
  return (
    <Sonner
      position={wide ? 'bottom-left' : 'top-center'}
      duration={6000}
      visibleToasts={4}
      containerAriaLabel="Notificações"
      // Over the header (10), under any dialog (20).
      style={{ zIndex: 15 }}
      offset={{ bottom: 16, left: 16 }}
      mobileOffset={{ top: 'calc(2px + env(safe-area-inset-top))', left: 8, right: 8 }}
      icons={{
        success: <CircleCheck className="size-5 text-ok-ink" />,
        error: <CircleAlert className="size-5 text-bad-ink" />,
        warning: <TriangleAlert className="size-5 text-accent" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'on-ink pointer-events-auto font-sans flex w-full min-h-14 flex-wrap items-center gap-x-3 rounded-[14px] py-1.5 pr-2 pl-4 text-[0.9375rem]/[1.35] shadow-high ring-1 ring-on-ink/20 md:w-[min(380px,100vw-32px)]',
          content: 'flex-[1_1_8rem] py-1.5',
          description: 'mt-0.5 text-sm text-on-ink-2',
          actionButton: 'ml-auto min-h-11 rounded-1 px-3 font-semibold text-accent hover:bg-surface/10',
        },
      }}
    />
  )
}

function subscribe(listener: () => void): () => void {
  const wide = matchMedia(WIDE)
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

interface Action {
  label: string
  run: () => void
}

interface Extra {
  /** The subject of the message: a later message about it takes its place, and its undo goes with it. */
  about?: string
  /** Rolls the change back, once; offered by a button and as Ctrl+Z. */
  undo?: () => void
  /** A next step; not beside an undo. */
  action?: Action
  description?: string
}

/** Long enough to reach it without a mouse. */
const UNDO_MS = 15_000

const LONG_MS = 12_000

/** The messages on the screen that can be undone. */
const undos = new Map<string, () => void>()

/** The message on the screen about each subject. */
const subjects = new Map<string, string>()

/** Messages, shown or gone, about a session that is over. */
const sessionFailures = new Set<string>()

/** The last change that was reported: Ctrl+Z undoes this one or none. */
let latest: string | undefined

/** Reports a change. */
export function notifySuccess(text: string, extra: Extra = {}): void {
  reportChange(toast.success, text, extra.undo || extra.action ? UNDO_MS : undefined, extra)
}

/** Reports a change that needs attention; it stays longer, for it has to be read. */
export function notifyWarning(text: string, extra: Omit<Extra, 'undo'> = {}): void {
  reportChange(toast.warning, text, LONG_MS, extra)
}

/** Says what did not happen, why, and how to go on. It stays longer, for it has to be read. */
export function notifyFailure(title: string, error: unknown, action?: Action): void {
  const failure = toFailure(error)
  const reason = describeFailure(failure, '')
  const description = [reason, adviseOnFailure(failure)].filter((part) => part && part !== title).join(' ')
  const id = crypto.randomUUID()
  if (isSessionOver(failure)) sessionFailures.add(id)
  toast.error(title, {
    id,
    duration: LONG_MS,
    ...(description === '' ? {} : { description }),
    ...(action === undefined ? {} : { action: { label: action.label, onClick: action.run } }),
  })
}

/** Takes the messages about an ended session away once the person has signed in again. */
export function dismissSessionFailures(): void {
  for (const id of sessionFailures) toast.dismiss(id)
  sessionFailures.clear()
}

/** Every message has an id of its own: sonner merges the options of two that share one, the undo among them. */
function reportChange(
  show: typeof toast.success,
  text: string,
  duration: number | undefined,
  { about, undo, action, description }: Extra,
): void {
  const id = crypto.randomUUID()
  const forget = () => {
    undos.delete(id)
    if (about !== undefined && subjects.get(about) === id) subjects.delete(about)
  }
  if (about !== undefined) {
    withdraw(subjects.get(about))
    subjects.set(about, id)
  }
  if (undo !== undefined) undos.set(id, undo)
  latest = id
  const button = undo === undefined ? action : { label: UNDO_LABEL as ReactNode, run: () => runUndo(id) }
  show(text, {
    id,
    ...(duration === undefined ? {} : { duration }),
    ...(description === undefined ? {} : { description }),
    ...(button === undefined
      ? {}
      : {
          action: {
            label: button.label,
            onClick: (event) => {
              // The button goes with its message: leaving it first gives the focus back to where it came from.
              event.currentTarget.blur()
              button.run()
            },
          },
        }),
    onDismiss: forget,
    onAutoClose: forget,
  })
}

function withdraw(id: string | undefined): void {
  if (id === undefined) return
  undos.delete(id)
  toast.dismiss(id)
}

function runUndo(id: string): void {
  const undo = undos.get(id)
  withdraw(id)
  undo?.()
}

/** What one person did is not for the next one to undo. */
export function withdrawUndos(): void {
  for (const id of [...undos.keys()]) withdraw(id)
}

const OWN_UNDO = 'input, textarea, select, [contenteditable]'

/** Ctrl+Z (⌘Z on a Mac) anywhere but in a field, which has an undo of its own, and not while a dialog is open. */
function watchUndoKey(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isUndoKey =
      event.key.toLowerCase() === 'z' &&
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      !event.altKey &&
      !event.repeat
    if (!isUndoKey || latest === undefined || !undos.has(latest)) return
    if (event.target instanceof Element && event.target.closest(OWN_UNDO)) return
    if (document.querySelector('[role$="dialog"]') !== null) return
    event.preventDefault()
    runUndo(latest)
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

const KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘Z' : 'Ctrl+Z'

/** The key is shown where there is a keyboard to expect. */
const UNDO_LABEL = (
  <>
    Desfazer
    <span
      aria-hidden="true"
      className="ml-2 font-sans text-xs font-normal text-on-ink-2 pointer-coarse:hidden"
    >
      {KEY}
    </span>
  </>
)
