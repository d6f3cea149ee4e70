import type { ReactNode } from 'react'
import { cn } from '#admin/lib/cn.ts'
import { Link } from '#admin/lib/router.tsx'

interface ChoiceBarProps {
  choices: number
  accepted: number
  refused: number
  label: string
}

/** All that chose, as accepted, in part and refused. A choice is no fault: none of them is green or red. */
export function ChoiceBar({ choices, accepted, refused, label }: ChoiceBarProps) {
  const parts = [
    ['accepted', accepted, 'bg-accent'],
    ['partial', choices - accepted - refused, 'bg-on-ink-2'],
    ['refused', refused, 'bg-ink-3'],
  ] as const
  return (
    <span
      role="img"
      aria-label={label}
      className="flex h-2 max-w-48 gap-0.5 overflow-hidden rounded-full forced-color-adjust-none"
    >
      {parts.map(([name, part, look]) =>
        part <= 0 ? null : <span key={name} className={look} style={{ flexGrow: part }} />,
      )}
    </span>
  )
}

interface SparklineProps {
  /** Null is a day that nobody counted. */
  days: readonly (number | null)[]
  label: string
}

const HEIGHT = 24

const STEP = 12

const BAR = 8

/** A day on which nothing happened still stands there. */
const LEAST = 2

/** Seven bars, one per day, today's highlighted; a day that was not counted has only its base line. */
export function Sparkline({ days, label }: SparklineProps) {
  const most = Math.max(1, ...days.map((value) => value ?? 0))
  const width = days.length * STEP - (STEP - BAR)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      className="block h-6 w-auto forced-color-adjust-none"
    >
      {days.map((value, index) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: a day is where it stands.
          key={index}
          d={bar(index * STEP, value === null ? null : LEAST + ((HEIGHT - LEAST) * value) / most)}
          className={
            value === null
              ? 'fill-none stroke-ink-3 [stroke-dasharray:2_2] forced-colors:stroke-[CanvasText]'
              : index === days.length - 1
                ? 'fill-accent forced-colors:fill-[Highlight]'
                : 'fill-ink-3 forced-colors:fill-[CanvasText]'
          }
        />
      ))}
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
export function FigureCell({
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
        <Link href={path} className={cn(look, 'group hover:bg-surface/5')}>
          {inside}
        </Link>
      )}
    </li>
  )
}
