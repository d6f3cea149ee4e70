import { type ReactNode, useState } from 'react'
import { cn } from '../lib/cn.ts'

interface ListToolbarProps {
  summary: ReactNode
  /** Beside the summary. Its room is kept while it is null, so that nothing moves when it comes. */
  aside?: ReactNode
  children?: ReactNode
}

/** Above a table: how much there is, and the means to find one among many. */
export function ListToolbar({ summary, aside, children }: ListToolbarProps) {
  return (
    <div className="flex min-h-12 flex-col gap-2.5 border-b border-line px-4 py-3.5 text-[0.9375rem] text-text-2 sm:flex-row sm:flex-wrap sm:items-center sm:gap-3 sm:py-3 sm:pr-3 sm:pl-5">
      <div
        className={cn(
          'flex flex-wrap items-center gap-x-3 gap-y-2 sm:mr-auto',
          aside !== undefined && 'min-h-11 max-sm:-my-1.5',
        )}
      >
        <p className="min-w-0 max-sm:flex-[1_1_7rem]" aria-live="polite">
          {summary}
        </p>
        {aside}
      </div>
      {children}
    </div>
  )
}

const SCREENFUL = 10

/**
 * Searching is offered once there have been more than a screenful, and then stays: what is being searched for must not
 * outlive the box that says so.
 */
export function useSearchOffer(count: number): boolean {
  const [offered, setOffered] = useState(count > SCREENFUL)
  if (!offered && count > SCREENFUL) setOffered(true)
  return offered
}
