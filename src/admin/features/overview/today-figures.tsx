import type { ReactNode } from 'react'
import { cn } from '#admin/lib/cn.ts'
import { Link } from '#admin/lib/router.tsx'

interface SparklineProps {
  /** Null is a day that was not counted. */
  days: readonly (number | null)[]
  /** The same days up to now, in a lighter tone: today can only be compared with them. */
  untilNow: readonly (number | null)[]
  label: string
}

const HEIGHT = 24

const STEP = 12

const BAR = 8

/** A day with zero still has a visible bar. */
const LEAST = 2

/** Seven bars, one per day, today's highlighted; a day that was not counted has only its base line. */
export function Sparkline({ days, untilNow, label }: SparklineProps) {
  const most = Math.max(1, ...days.map((value) => value ?? 0))
  const width = days.length * STEP - (STEP - BAR)
  const heightOf = (value: number | null) =>
    value === null ? null : LEAST + ((HEIGHT - LEAST) * value) / most
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      className="block h-6 w-auto forced-color-adjust-none"
    >
      {days.map((value, index) => {
        const isToday = index === days.length - 1
        const part = untilNow[index] ?? null
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a day is where it stands.
          <g key={index}>
            <path
              d={bar(index * STEP, heightOf(value))}
              className={
                value === null
                  ? 'fill-none stroke-ink-3 [stroke-dasharray:2_2] forced-colors:stroke-[CanvasText]'
                  : isToday
                    ? 'fill-accent forced-colors:fill-[Highlight]'
                    : 'fill-ink-3 forced-colors:fill-[GrayText]'
              }
            />
            {value === null || isToday || part === null ? null : (
              <path
                d={bar(index * STEP, Math.min(heightOf(part) ?? 0, heightOf(value) ?? 0))}
                className="fill-[#a9b8ae] forced-colors:fill-[CanvasText]"
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}

function bar(x: number, height: number | null): string {
  if (height === null) return `M${x} ${HEIGHT - 0.5}h${BAR}`
  const radius = Math.min(BAR / 2, height)
  const side = height - radius
  return `M${x} ${HEIGHT}v${-side}a${BAR / 2} ${radius} 0 0 1 ${BAR} 0v${side}z`
}

interface TodayFigureProps {
  label: string
  /** Null if unknown. */
  value: string | null
  /** Below it: its share, and yesterday or why there is none. */
  under: readonly string[]
  /** The list behind it; without one it is no link. */
  path?: string
  isAlarm?: boolean
  /** It is no count of today: set apart from the others. */
  isApart?: boolean
  children?: ReactNode
}

/** One figure of the strip. */
export function FigureCell(props: TodayFigureProps) {
  const { label, value, under, path, isAlarm = false, isApart = false, children } = props
  const inside = (
    <>
      <span className="block text-[0.8125rem]/5 text-on-ink-2 group-hover:underline group-hover:underline-offset-4">
        {label}
      </span>
      <span
        className={cn(
          'block tabular-nums',
          value === null
            ? 'text-base/7 text-on-ink-2 sm:text-base/9'
            : 'text-xl/7 font-semibold tracking-tight sm:text-[1.625rem]/9',
          isAlarm && 'text-bad-ink',
        )}
      >
        {value ?? 'sem dados'}
      </span>
      {under.map((line, index) => (
        <span
          key={line}
          className={cn(
            'block text-xs/5 sm:text-[0.8125rem]/5',
            index === 0 ? 'text-on-ink' : 'text-on-ink-2',
          )}
        >
          {line}
        </span>
      ))}
      {/* On a phone the list below is more important. */}
      {children ? <span className="mt-2 hidden sm:block">{children}</span> : null}
    </>
  )
  const look = 'block h-full rounded-1 px-2 py-1 sm:py-2'
  return (
    <li
      className={cn(
        'min-w-0 wrap-anywhere lg:border-l lg:border-ink-2 lg:first:border-l-0',
        isApart && 'lg:border-l-4 lg:border-double lg:border-ink-3',
      )}
    >
      {path === undefined ? (
        <div className={look}>{inside}</div>
      ) : (
        <Link href={path} className={cn(look, 'group hover:bg-surface/5')}>
          {inside}
        </Link>
      )}
    </li>
  )
}
