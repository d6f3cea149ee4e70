import { CircleAlert, Info, Lock, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'

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
  /** The answer to what the person has just done: it is read out at once, and brought into sight. */
  urgent?: boolean
  children: ReactNode
  /** What to do next. */
  advice?: string | null
  /** Buttons, under the text. */
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

/** What went wrong must not stay above the part of a form that is in sight. */
function reveal(box: HTMLElement | null): void {
  box?.scrollIntoView({ block: 'nearest' })
}
