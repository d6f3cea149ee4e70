import type { ReactNode } from 'react'
import { cn } from '../lib/cn.ts'

interface BusyFiguresProps {
  /** What is shown is of the period before: it keeps its place, but nobody may read it under the new label. */
  isOfBefore: boolean
  /** The period that is on its way. */
  label: string
  children: ReactNode
}

/** Figures of a period, and what stands over them while another period is loaded. */
export function BusyFigures({ isOfBefore, label, children }: BusyFiguresProps) {
  return (
    <div className="relative">
      <p
        role="status"
        className={cn(
          isOfBefore
            ? 'absolute inset-x-0 top-8 z-1 mx-auto w-fit rounded-1 bg-surface px-4 py-2 text-sm font-semibold shadow'
            : 'sr-only',
        )}
      >
        {isOfBefore ? `Carregando ${label}…` : ''}
      </p>
      <div aria-hidden={isOfBefore} inert={isOfBefore} className={cn(isOfBefore && 'invisible')}>
        {children}
      </div>
    </div>
  )
}
