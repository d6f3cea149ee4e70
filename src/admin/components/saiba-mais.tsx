import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'
import { HelpLink, type HelpTopic } from './help-link.tsx'

interface SaibaMaisProps {
  /** Ends the button's name for screen readers: "Saiba mais sobre o gráfico". */
  about: string
  className?: string
  /** On a dark ground. */
  onInk?: boolean
  /** Where the guide says more. */
  topic?: HelpTopic
  children: ReactNode
}

/**
 * The long explanation of one figure or option, closed until somebody asks. It stands next to what it explains, and
 * never inside a label or a paragraph.
 */
export function SaibaMais({ about, className, onInk = false, topic, children }: SaibaMaisProps) {
  return (
    <details
      className={cn(
        'group/more',
        onInk ? 'text-[0.8125rem]/5 text-on-ink-2' : 'text-sm text-text-2',
        className,
      )}
    >
      <summary className="inline-flex min-h-11 cursor-pointer items-center gap-1 underline decoration-1 underline-offset-4 sm:min-h-8 [&::-webkit-details-marker]:hidden">
        <span>
          Saiba mais<span className="sr-only"> {about}</span>
        </span>
        <ChevronDown aria-hidden="true" className="size-4 group-open/more:rotate-180" />
      </summary>
      <div className="grid max-w-[44em] gap-2 pb-2 text-pretty">
        {children}
        {topic === undefined ? null : <HelpLink topic={topic} inText />}
      </div>
    </details>
  )
}
