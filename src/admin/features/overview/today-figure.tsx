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
            'text-[1.625rem]/9 font-semibold tracking-tight tabular-nums',
            isAlarm && 'text-bad-ink',
            value === null && 'text-base/9 font-normal text-on-ink-2',
          )}
        >
          {value ?? 'não medido'}
        </span>
        {beside ? <span className="text-[0.8125rem] text-on-ink-2">{beside}</span> : null}
      </span>
      <span className="block text-[0.8125rem]/5 text-on-ink-2">{under}</span>
      {children ? <span className="mt-2.5 block">{children}</span> : null}
    </>
  )
  const look = 'block h-full rounded-1 p-2'
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
