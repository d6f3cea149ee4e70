import type { ReactNode } from 'react'

interface PageHeadingProps {
  title: string
  subtitle?: string
  action?: ReactNode
}

/** `data-page-heading` is where focus goes when the work that held it is gone. */
export function PageHeading({ title, subtitle, action }: PageHeadingProps) {
  return (
    <div className="mb-5 flex flex-col gap-4 sm:mb-7 sm:flex-row sm:items-end">
      <div className="min-w-0 flex-1 wrap-anywhere">
        <h2 data-page-heading tabIndex={-1} className="text-[1.625rem] focus:outline-0">
          {title}
        </h2>
        {subtitle ? <p className="mt-1 text-pretty text-text-2">{subtitle}</p> : null}
      </div>
      {action}
    </div>
  )
}

export function focusPageHeading(): void {
  document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true })
}
