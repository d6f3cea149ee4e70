import { CircleAlert, Info, Lock, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { adviseOnFailure, describeFailure, isSessionOver } from '#contract/error-messages.ts'
import { toFailure } from '../lib/api.ts'
import { cn } from '../lib/cn.ts'
import { useSignInMark } from '../lib/services.tsx'

const CHIP_LOOKS = {
  ok: 'bg-ok-bg text-ok',
  ink: 'bg-ink text-on-ink',
  outline: 'shadow-[inset_0_0_0_1.5px_var(--line-2)]',
} as const

interface ChipProps {
  look: keyof typeof CHIP_LOOKS
  children: string
}

/** A label beside something. */
export function Chip({ look, children }: ChipProps) {
  return (
    <span
      className={cn(
        'chip inline-block flex-none rounded-full px-3 py-1 text-sm font-semibold whitespace-nowrap',
        CHIP_LOOKS[look],
      )}
    >
      {children}
    </span>
  )
}

interface EmptyStateProps {
  picture?: ReactNode
  title: string
  text?: string
  /** What this place is for, in smaller text. */
  lesson?: string
  action?: ReactNode
}

export function EmptyState({ picture, title, text, lesson, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center px-6 pt-14 pb-16 text-center">
      {picture ? <div className="mb-6">{picture}</div> : null}
      <h3 className="text-xl">{title}</h3>
      {text ? <p className="mt-1.5 max-w-[30em] text-balance text-text-2">{text}</p> : null}
      {lesson ? <p className="mt-1.5 max-w-[34em] text-sm text-balance text-text-2">{lesson}</p> : null}
      {action ? <div className="mt-6 max-sm:w-full max-sm:*:w-full">{action}</div> : null}
    </div>
  )
}

/** A form's error in Portuguese, or `fallback` without a usable message. */
export function FailureBox({ error, fallback }: { error: unknown; fallback: string }) {
  const signIn = useSignInMark()
  const [shown, setShown] = useState({ error, signIn })
  if (shown.error !== error) setShown({ error, signIn })
  if (!error) return null
  const failure = toFailure(error)
  if (isSessionOver(failure) && shown.error === error && shown.signIn !== signIn)
    return (
      <MessageBox look="warn">
        Você entrou de novo, mas a ação anterior não foi feita. Tente novamente.
      </MessageBox>
    )
  return (
    <MessageBox look="bad" urgent advice={adviseOnFailure(failure)}>
      {describeFailure(failure, fallback)}
    </MessageBox>
  )
}

const LOOKS = {
  bad: { icon: CircleAlert, className: 'bg-bad-bg text-bad' },
  warn: { icon: TriangleAlert, className: 'bg-warn-bg text-warn' },
  yellow: { icon: Lock, className: 'bg-accent-3 text-warn' },
  info: {
    icon: Info,
    className: 'bg-surface text-text-2 shadow-[inset_0_0_0_1px_var(--line)]',
  },
} as const

interface MessageBoxProps {
  look: keyof typeof LOOKS
  /** The response to an action: announced at once and scrolled into view. */
  urgent?: boolean
  children: ReactNode
  /** What to do next. */
  advice?: string | null
  /** Buttons below the text. */
  actions?: ReactNode
}

export function MessageBox({ look, urgent = false, children, advice, actions }: MessageBoxProps) {
  const { icon: Icon, className } = LOOKS[look]
  return (
    <div
      ref={urgent ? reveal : null}
      role={urgent ? 'alert' : 'note'}
      className={cn('message-box flex gap-2.5 rounded-1 px-3.5 py-3 text-[0.9375rem]/[1.45]', className)}
    >
      <Icon className="mt-px size-5 flex-none" aria-hidden="true" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className={cn(advice && 'font-semibold')}>{children}</p>
        {advice ? <p className="mt-0.5 text-sm">{advice}</p> : null}
        {actions ? <div className="mt-2 flex flex-wrap gap-2">{actions}</div> : null}
      </div>
    </div>
  )
}

/** An error must not stay above the visible part of a form. */
function reveal(box: HTMLElement | null): void {
  box?.scrollIntoView({ block: 'nearest' })
}
