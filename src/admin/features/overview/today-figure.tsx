import type { ReactNode } from 'react'
import { cn } from '#admin/lib/cn.ts'
import { openHere } from '#admin/lib/open-here.ts'

interface TodayFigureProps {
  label: string
  /** Null says that it is not known. */
  value: string | null
  /** After the value, smaller. */
  beside?: string | null
  /** Under it: yesterday, or why there is none. */
  under: string
  /** Where its list is; what has none is no link. */
  path?: string
  isAlarm?: boolean
  children?: ReactNode
}

/** One figure of the strip. */
export function TodayFigure({
  label,
  value,
  beside,
  under,
  path,
  isAlarm = false,
  children,
}: TodayFigureProps) {
  const inside = (
    <>
      <span className="block text-[0.8125rem]/5 text-on-ink-2 group-hover:underline group-hover:underline-offset-4">
        {label}
      </span>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span
          className={cn(
            'tabular-nums',
            value === null
              ? 'text-base/7 text-on-ink-2 sm:text-base/9'
              : 'text-xl/7 font-semibold tracking-tight sm:text-[1.625rem]/9',
            isAlarm && 'text-bad-ink',
          )}
        >
          {value ?? 'não medido'}
        </span>
        {beside ? <span className="text-[0.8125rem] text-on-ink-2">{beside}</span> : null}
        <span className="text-[0.8125rem]/5 text-on-ink-2 sm:w-full">{under}</span>
      </span>
      {/* On a phone the list below is what was come for. */}
      {children ? <span className="mt-2.5 hidden sm:block">{children}</span> : null}
    </>
  )
  const look = 'block h-full rounded-1 px-2 py-1 sm:py-2'
  return (
    <li className="min-w-0 wrap-anywhere lg:border-l lg:border-ink-2 lg:pl-2 lg:first:border-l-0 lg:first:pl-0">
      {path === undefined ? (
        <div className={look}>{inside}</div>
      ) : (
        <a
          href={path}
          onClick={(event) => openHere(event, path)}
          className={cn(look, 'group hover:bg-surface/5')}
        >
          {inside}
        </a>
      )}
    </li>
  )
}
