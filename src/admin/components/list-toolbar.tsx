import type { ReactNode } from 'react'

/** Above a table: how much there is, and the means to find one among many. */
export function ListToolbar({ summary, children }: { summary: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-col gap-2.5 border-b border-line px-4 py-3.5 text-[0.9375rem] text-text-2 sm:flex-row sm:flex-wrap sm:items-center sm:gap-3 sm:py-3 sm:pr-3 sm:pl-5">
      <p className="sm:mr-auto" aria-live="polite">
        {summary}
      </p>
      {children}
    </div>
  )
}

/** Searching is offered when there are more than a screenful. */
export const SCREENFUL = 10
