import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { adviseOnFailure, describeFailure, isSessionOver } from '#contract/error-messages.ts'
import { toFailure } from '../lib/api.ts'

interface Message {
  id: string
  look: keyof typeof ICONS
  text: string
  description: string
  /** How long it stays, in milliseconds, while nobody is at it. */
  stays: number
  button: { label: ReactNode; run: () => void } | null
  /** The subject: a later message about it takes this one's place. */
  about: string | undefined
  undo: (() => void) | undefined
}

const ICONS = {
  success: <CircleCheck aria-hidden="true" className="size-5 flex-none text-ok-ink" />,
  failure: <CircleAlert aria-hidden="true" className="size-5 flex-none text-bad-ink" />,
  warning: <TriangleAlert aria-hidden="true" className="size-5 flex-none text-accent" />,
}

/** On screen, the oldest first. */
let messages: readonly Message[] = []
const listeners = new Set<() => void>()
/** Messages, shown or gone, about a session that is over. */
const sessionFailures = new Set<string>()
/** The last change that was reported: Ctrl+Z undoes this one or none. */
let latest: string | undefined
/** What had the focus before it came to the messages. */
let cameFrom: Element | null = null

function setMessages(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** As many as leave room for the page; older ones come into sight again when newer ones go. */
const SHOWN = 4

/**
 * Messages stand where nothing is to be done: over the header of a phone, and in the lower left corner of anything
 * larger, for what a row offers is on its right. Over the header (10), under any dialog (20). Nobody loses one while it
 * is being read: none goes while the pointer or the focus is on them, or the tab is not looked at. Alt+T leads to them,
 * Escape away from them.
 */
export function Toaster() {
  const shown = useSyncExternalStore(subscribe, () => messages).slice(-SHOWN)
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isHidden = useIsHidden()
  const section = useRef<HTMLElement>(null)
  useEffect(watchUndoKey, [])
  useEffect(() => watchReachKey(() => section.current), [])
  // What goes from under the pointer says no good-bye.
  if (shown.length === 0 && isPointed) setPointed(false)
  if (shown.length === 0 && isFocused) setFocused(false)
  return (
    <section
      ref={section}
      aria-label="Notificações"
      aria-live="polite"
      aria-relevant="additions text"
      className="pointer-events-none fixed inset-x-2 top-[calc(2px+env(safe-area-inset-top))] z-15 md:inset-x-auto md:top-auto md:bottom-4 md:left-4 print:hidden"
    >
      <ol
        onPointerEnter={() => setPointed(true)}
        onPointerLeave={() => setPointed(false)}
        onFocus={({ relatedTarget, currentTarget }) => {
          if (!currentTarget.contains(relatedTarget)) cameFrom = relatedTarget
          setFocused(true)
        }}
        onBlur={() => setFocused(false)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') dismiss(idOf(event.target as Element))
        }}
        className="flex flex-col gap-2 max-md:flex-col-reverse max-md:items-center"
      >
        {shown.map((message) => (
          <Toast key={message.id} message={message} isHeld={isPointed || isFocused || isHidden} />
        ))}
      </ol>
    </section>
  )
}

function Toast({ message, isHeld }: { message: Message; isHeld: boolean }) {
  const { id, look, text, description, stays, button } = message
  const left = useRef(stays)
  useEffect(() => {
    if (isHeld) return
    const since = performance.now()
    const timer = setTimeout(() => dismiss(id), left.current)
    return () => {
      clearTimeout(timer)
      left.current -= performance.now() - since
    }
  }, [isHeld, id])
  return (
    <li
      data-toast={id}
      // A phone has room for two.
      className="on-ink appear-rising pointer-events-auto flex min-h-14 w-full max-w-[30rem] flex-wrap items-center gap-x-3 rounded-[14px] py-1.5 pr-1.5 pl-4 text-[0.9375rem]/[1.35] shadow-high ring-1 ring-on-ink/20 max-md:nth-last-[n+3]:hidden md:w-[min(400px,100vw-32px)]"
    >
      {ICONS[look]}
      <div className="min-w-0 flex-[1_1_6rem] py-1.5 wrap-anywhere">
        <p>{text}</p>
        {description === '' ? null : <p className="mt-0.5 text-sm text-on-ink-2">{description}</p>}
      </div>
      <div className="ml-auto flex">
        {button === null ? null : (
          <button
            type="button"
            onClick={() => press(id)}
            className="min-h-11 rounded-1 px-3 font-semibold text-accent hover:bg-surface/10"
          >
            {button.label}
          </button>
        )}
        <button
          type="button"
          aria-label="Dispensar notificação"
          title="Dispensar"
          onClick={() => dismiss(id)}
          className="grid min-h-11 min-w-10 place-items-center rounded-1 text-on-ink-2 hover:bg-surface/10 hover:text-on-ink [&_svg]:size-4.5"
        >
          <X aria-hidden="true" />
        </button>
      </div>
    </li>
  )
}

function useIsHidden(): boolean {
  return useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'hidden')
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

const idOf = (element: Element | null) => element?.closest('[data-toast]')?.getAttribute('data-toast')

/** Takes a message away. The focus that was in it goes back to where it came from. */
function dismiss(id: string | null | undefined): void {
  if (!messages.some((message) => message.id === id)) return
  if (idOf(document.activeElement) === id && cameFrom instanceof HTMLElement && cameFrom.isConnected)
    cameFrom.focus({ preventScroll: true })
  setMessages(messages.filter((message) => message.id !== id))
}

/** Once: a second click of a quick hand comes before the button is gone. */
function press(id: string): void {
  const button = messages.find((message) => message.id === id)?.button
  dismiss(id)
  button?.run()
}

interface Action {
  label: string
  run: () => void
}

interface Extra {
  /** The subject of the message: a later one about it replaces it, with its undo. */
  about?: string
  /** Rolls the change back, once; offered by a button and Ctrl+Z. */
  undo?: () => void
  /** A next step; not together with an undo. */
  action?: Action
  description?: string
}

const SHORT_MS = 6_000

/** It has to be read. */
const LONG_MS = 12_000

/** Long enough to reach it without a mouse. */
const UNDO_MS = 15_000

/** Reports a change. */
export function notifySuccess(text: string, extra: Extra = {}): void {
  reportChange('success', text, extra.undo || extra.action ? UNDO_MS : SHORT_MS, extra)
}

/** Reports a change that needs attention. */
export function notifyWarning(text: string, extra: Omit<Extra, 'undo'> = {}): void {
  reportChange('warning', text, LONG_MS, extra)
}

/** Says what did not happen, why, and how to go on. */
export function notifyFailure(text: string, error: unknown, action?: Action): void {
  const failure = toFailure(error)
  const reason = describeFailure(failure, '')
  const description = [reason, adviseOnFailure(failure)].filter((part) => part && part !== text).join(' ')
  const id = crypto.randomUUID()
  if (isSessionOver(failure)) sessionFailures.add(id)
  const message = { id, look: 'failure' as const, text, description, stays: LONG_MS, button: action ?? null }
  setMessages([...messages, { ...message, about: undefined, undo: undefined }])
}

/** A choice of the person could not be stored. */
export const notifyUnsaved = (error: unknown): void =>
  notifyFailure('Não foi possível salvar sua escolha.', error)

/** Takes the messages about an ended session away once the person has signed in again. */
export function dismissSessionFailures(): void {
  for (const id of sessionFailures) dismiss(id)
  sessionFailures.clear()
}

function reportChange(look: Message['look'], text: string, stays: number, extra: Extra): void {
  const { about, undo, action = null, description = '' } = extra
  const id = crypto.randomUUID()
  if (about !== undefined) dismiss(messages.find((message) => message.about === about)?.id)
  latest = id
  const button = undo === undefined ? action : { label: UNDO_LABEL, run: undo }
  setMessages([...messages, { id, look, text, description, stays, button, about, undo }])
}

/** What was said to one person is not for the next one, and what they did not for the next one to undo. */
export function dismissMessages(): void {
  setMessages([])
}

const OWN_UNDO = 'input, textarea, select, [contenteditable]'

/** Ctrl+Z (⌘Z on a Mac), except in a field, which has its own undo, and while a dialog is open. */
function watchUndoKey(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isUndoKey =
      event.key.toLowerCase() === 'z' &&
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      !event.altKey &&
      !event.repeat
    const undo = messages.find(({ id }) => id === latest)?.undo
    if (!isUndoKey || undo === undefined) return
    if (event.target instanceof Element && event.target.closest(OWN_UNDO)) return
    if (document.querySelector('[role$="dialog"]') !== null) return
    event.preventDefault()
    dismiss(latest)
    undo()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

/** Alt+T: from anywhere to the newest message. */
function watchReachKey(find: () => Element | null): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.code !== 'KeyT' || !event.altKey) return
    const toasts = find()?.querySelectorAll('[data-toast]')
    const newest = toasts?.[toasts.length - 1]?.querySelector('button')
    if (!newest) return
    event.preventDefault()
    newest.focus()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

const KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘Z' : 'Ctrl+Z'

/** The key is shown on devices with a keyboard. */
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
