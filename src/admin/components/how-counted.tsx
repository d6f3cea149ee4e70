import { type ReactNode, useId } from 'react'
import { cn } from '../lib/cn.ts'

interface HowCountedProps {
  /** The figure that it explains. */
  name: string
  className?: string
  children: ReactNode
}

/** A "?" that opens what a figure counts, beside the button. */
export function HowCounted({ name, className, children }: HowCountedProps) {
  const id = useId()
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={`Como contamos: ${name}`}
        className={cn(
          'group/how inline-grid size-11 place-items-center focus-visible:outline-offset-[-6px] sm:size-8',
          className,
        )}
      >
        <span
          aria-hidden="true"
          className="grid size-5 place-items-center rounded-full border border-text-2 text-xs/none font-semibold text-text-2 group-hover/how:border-ink group-hover/how:bg-ink group-hover/how:text-on-ink"
        >
          ?
        </span>
      </button>
      <div id={id} popover="auto" className="how-counted">
        <p className="font-semibold">{name}</p>
        <div className="mt-1 grid gap-2 text-text-2">{children}</div>
      </div>
    </>
  )
}
