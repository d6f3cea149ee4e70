import { type ReactNode, useState } from 'react'

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
