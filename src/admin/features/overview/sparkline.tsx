interface SparklineProps {
  /** Null is a day that nobody counted. */
  days: readonly (number | null)[]
  label: string
}

const HEIGHT = 24
const STEP = 12
const DOOR = 8
/** A day on which nothing happened still stands there. */
const LEAST = 2

/** Seven doors, as high as their days; today's is lit, and where nobody counted there is only the ground. */
export function Sparkline({ days, label }: SparklineProps) {
  const most = Math.max(1, ...days.map((value) => value ?? 0))
  const width = days.length * STEP - (STEP - DOOR)
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
          d={door(index * STEP, value === null ? null : LEAST + ((HEIGHT - LEAST) * value) / most)}
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

function door(x: number, height: number | null): string {
  if (height === null) return `M${x} ${HEIGHT - 0.5}h${DOOR}`
  const radius = Math.min(DOOR / 2, height)
  const side = height - radius
  return `M${x} ${HEIGHT}v${-side}a${DOOR / 2} ${radius} 0 0 1 ${DOOR} 0v${side}z`
}
