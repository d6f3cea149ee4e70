import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '#admin/lib/cn.ts'
import { formatNumber, formatTimestamp } from '#admin/lib/format.ts'
import { formatCount } from '#contract/format-count.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { PixelStatus } from '#contract/tag-status.ts'
import { describeObservations, type Health, labelOfHealth } from './health.ts'
import type { PixelFilter } from './list/pixel-toolbar.tsx'
import { type PixelRun, useProblemCount } from './tag-status.ts'

/** Only problems have their own colour. */
const TONES: Partial<Record<Health, string>> = {
  broken: 'text-bad',
  partial: 'text-warn',
  off: 'font-normal text-text-2',
}

interface HealthMarkProps {
  health: Health
  /** Undefined if no visit ever reported anything. */
  run: PixelRun | undefined
}

/** Health in a word, and what visits reported. */
export function HealthMark({ health, run }: HealthMarkProps) {
  const evidence = run && describeObservations(run.status, health, run.asOf)
  const at = run?.status.last_ran_at ?? null
  return (
    <div className="flex min-w-0 gap-2 leading-snug">
      <HealthIcon health={health} />
      <div className="min-w-0 wrap-anywhere">
        <p className={cn('text-[0.9375rem] font-semibold', TONES[health])}>{labelOfHealth(health)}</p>
        {evidence ? (
          <p
            title={`Últimas 24 horas.${at === null ? '' : ` Última execução: ${formatTimestamp(at)}`}`}
            className="text-[0.8125rem] text-text-2"
          >
            {evidence}
          </p>
        ) : null}
      </div>
    </div>
  )
}

interface ProblemCountProps {
  count: number
  filter: PixelFilter
  onFilter: (filter: PixelFilter) => void
}

/** Number of pixels with problems; pressed, it lists them first. */
export function ProblemCount({ count, filter, onFilter }: ProblemCountProps) {
  const isPressed = filter.health === 'problems-first'
  if (count === 0 && !isPressed) return null
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      title="Mostrar os problemas no topo"
      onClick={() => onFilter({ ...filter, health: isPressed ? 'all' : 'problems-first' })}
      className="inline-flex min-h-11 min-w-11 flex-none justify-center items-center gap-2 rounded-1 border-[1.5px] border-line px-3 font-semibold text-ink hover:border-ink aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-on-ink"
    >
      <HealthIcon health="broken" className={isPressed ? 'text-bad-ink' : 'text-bad'} />
      <span>
        {formatNumber(count)}
        <span className="max-sm:sr-only"> {count === 1 ? 'problema' : 'problemas'}</span>
      </span>
    </button>
  )
}

const FULL = 'M3.5 24V9.5a8.5 8.5 0 0 1 17 0V24z'

const FRAME = 'M4.6 22.9V9.5a7.4 7.4 0 0 1 14.8 0v13.4z'

const SIGN = 'stroke-surface stroke-[2.6] forced-colors:stroke-[Canvas]'

/** Each state has its own shape, so that colour is not needed. */
const SHAPES: Record<Health, ReactNode> = {
  working: (
    <>
      <path d={FULL} fill="currentColor" />
      <path d="m7.6 13.6 3.1 3.1 5.8-6.4" className={SIGN} />
    </>
  ),
  unconfirmed: (
    <>
      <path d={FRAME} stroke="currentColor" strokeWidth="2.2" />
      <path d="m8 13.8 2.9 2.9 5.2-5.8" stroke="currentColor" strokeWidth="2.4" />
    </>
  ),
  partial: (
    <>
      <path d="M4 13h16v10H4z" fill="currentColor" />
      <path d={FRAME} stroke="currentColor" strokeWidth="2.4" />
    </>
  ),
  broken: (
    <>
      <path d={FULL} fill="currentColor" />
      <path d="m8.2 10.2 7.6 7.6m0-7.6-7.6 7.6" className={SIGN} />
    </>
  ),
  waiting: <path d={FRAME} stroke="currentColor" strokeWidth="2.2" strokeDasharray="3.2 2.7" />,
  paused: (
    <>
      <path d={FRAME} stroke="currentColor" strokeWidth="2.2" />
      <path d="M9.5 10.5v7m5-7v7" stroke="currentColor" strokeWidth="2.6" />
    </>
  ),
  tripped: (
    <>
      <path d={FULL} fill="currentColor" />
      <path d="M9.5 10.5v7m5-7v7" className={SIGN} />
    </>
  ),
  off: <path d={FRAME} stroke="currentColor" strokeWidth="2" />,
}

const COLOURS: Record<Health, string> = {
  working: 'text-ok',
  unconfirmed: 'text-text-2',
  partial: 'text-[#b25a12]',
  broken: 'text-bad',
  waiting: 'text-text-2',
  paused: 'text-text-2',
  tripped: 'text-bad',
  off: 'text-line-2',
}

export function HealthIcon({ health, className }: { health: Health; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={cn('size-5 flex-none', COLOURS[health], className)}
    >
      {SHAPES[health]}
    </svg>
  )
}

/** On the tab: number of pixels with a problem. Empty if there is none, or if it is unknown. */
export function ProblemMark() {
  const count = useProblemCount()
  if (!count) return null
  return (
    <span className="tab-mark max-lg:absolute max-lg:top-0.5 max-lg:left-[calc(50%+0.5rem)] grid h-5.5 min-w-5 place-items-center rounded-[11px_11px_4px_4px] bg-bad px-1.5 text-xs font-semibold text-surface lg:ml-auto">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="sr-only">, {formatCount(count, 'pixel com problema', 'pixels com problema')}</span>
    </span>
  )
}

interface StatusBadgeProps {
  active: boolean
  /** Name of the pixel, for screen readers. */
  name: string
  onToggle: () => void
}

/**
 * A switch that looks like a badge. Its name stays and its state changes; the dot is filled or hollow, so that colour
 * is not needed.
 */
export function StatusBadge({ active, name, onToggle }: StatusBadgeProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={active}
      aria-label={`Ativo: ${name}`}
      title={active ? 'Clique para desativar' : 'Clique para ativar'}
      onClick={onToggle}
      className="group inline-flex min-h-11 min-w-22 items-center"
    >
      <span
        className={`inline-flex items-center gap-2 rounded-full py-1 pr-3 pl-2.5 text-sm font-semibold transition-shadow group-hover:shadow-[inset_0_0_0_1.5px_currentColor] ${active ? 'bg-ok-bg text-ok' : 'bg-bad-bg text-bad'}`}
      >
        <span
          aria-hidden="true"
          className={`size-2 rounded-full shadow-[inset_0_0_0_2px_currentColor] ${active ? 'bg-current' : ''}`}
        />
        {active ? 'Ativo' : 'Inativo'}
      </span>
    </button>
  )
}

const INITIALS: Record<PixelType, string> = {
  meta: 'M',
  google_analytics: 'GA',
  google_tag_manager: 'GTM',
  custom: '{ }',
}

/** The type's initials in an arch, outlined while the pixel is off. */
export function TypeGlyph({ type, active }: { type: PixelType; active: boolean }) {
  return (
    <span
      aria-hidden="true"
      // A narrow table has a column for the type and no space for this; nor has large text on a phone.
      className={cn(
        'chip grid h-11 w-10 flex-none place-items-center rounded-[20px_20px_6px_6px] pt-1.5 font-mono text-xs font-semibold tracking-tighter not-card:@max-[54rem]:hidden tiny:hidden',
        active ? 'bg-[#e9ebe2]' : 'text-text-2 shadow-[inset_0_0_0_1.5px_var(--line)]',
      )}
    >
      {INITIALS[type]}
    </span>
  )
}

interface WarningCountProps {
  status: Pick<PixelStatus, 'warnings' | 'reasons'>
  onShow: () => void
}

/** In the table: a link to warnings that the row does not show. */
export function WarningCount({ status: { warnings: all, reasons }, onShow }: WarningCountProps) {
  const warnings = all.filter(({ code }) => !reasons.some((reason) => reason.code === code))
  if (warnings.length === 0) return null
  return (
    <button
      type="button"
      onClick={onShow}
      title={warnings.map((warning) => warning.message).join('\n')}
      className="relative inline-flex min-h-7 items-center after:absolute after:-inset-y-2 after:inset-x-0 gap-1.5 text-sm font-semibold text-warn underline-offset-2 hover:underline forced-colors:not-focus-visible:outline-none forced-colors:underline"
    >
      <TriangleAlert className="size-4" aria-hidden="true" />
      {formatCount(warnings.length, 'aviso', 'avisos')}
    </button>
  )
}
