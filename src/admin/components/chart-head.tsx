import type { ReactNode } from 'react'

interface ChartHeadProps {
  /** Of the heading, for the region's name. */
  id: string
  title: string
  text: string
  /** What can be chosen: period, view. */
  children: ReactNode
}

/** Above a chart: what it counts, and how to look at it. */
export function ChartHead({ id, title, text, children }: ChartHeadProps) {
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-3 sm:px-5">
      <div className="min-w-0 flex-[1_1_16rem]">
        <h3 id={id} className="text-base tracking-tight">
          {title}
        </h3>
        <p className="text-sm text-pretty text-text-2">{text}</p>
      </div>
      {children}
    </header>
  )
}
