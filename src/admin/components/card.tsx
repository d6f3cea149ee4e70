import { type ComponentProps, type ReactNode, type RefObject, useId } from 'react'
import { cn } from '../lib/cn.ts'

interface SectionCardProps {
  title: string
  /** Takes the focus when the focused element is gone. */
  heading?: RefObject<HTMLHeadingElement | null>
  text: ReactNode
  action?: ReactNode
  children?: ReactNode
}

export function SectionCard({ title, heading, text, action, children }: SectionCardProps) {
  const id = useId()
  return (
    <Card role="region" aria-labelledby={id}>
      <div className="flex flex-col gap-4 p-5 sm:flex-row sm:items-center sm:px-7 sm:py-6">
        <div className="min-w-0 flex-1">
          <h3 ref={heading} id={id} tabIndex={-1} className="text-lg focus:outline-0">
            {title}
          </h3>
          <div className="mt-1 max-w-[38em] text-pretty text-text-2">{text}</div>
        </div>
        {action ? <div className="flex flex-none flex-wrap gap-3 max-sm:*:flex-1">{action}</div> : null}
      </div>
      {children}
    </Card>
  )
}

export function Card({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('card', className)} {...props} />
}
