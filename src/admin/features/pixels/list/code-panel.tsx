import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { CopyButton, IconButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { EmptyState } from '#admin/components/message.tsx'
import { LoadingLines, QueryView } from '#admin/components/query-view.tsx'
import { formatClock, formatNumber } from '#admin/lib/format.ts'
import { formatCount } from '#contract/format-count.ts'
import type { TagHour } from '#contract/tag-status.ts'
import { type ListedPixel, PIXEL_GONE, usePixel } from '../api.ts'
import { HealthMark } from '../badges.tsx'
import { CodeBlock, displayedCode } from '../code.tsx'
import type { FormStart } from '../form/schema.ts'
import { healthOf } from '../health.ts'
import { HealthNotes } from '../health-notes.tsx'
import { PixelHosts } from '../hosts.tsx'
import { type PixelRun, useTagHours } from '../tag-status.ts'

interface CodePanelProps {
  pixel: ListedPixel
  run: PixelRun | undefined
  onFix: (startsAt: FormStart) => void
  onClose: () => void
}

export function CodePanel({ pixel, run, onFix, onClose }: CodePanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  const whole = usePixel(pixel.id)
  const isThere = whole.data !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: with its code the panel is higher.
  useEffect(() => {
    // In braces: browsers have begun to return a promise from this, and an effect must not.
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [isThere])
  return (
    <Card
      ref={panel}
      role="region"
      aria-label={`Código para: ${pixel.name}`}
      className="mt-4 scroll-mb-24 scroll-mt-20"
    >
      <header className="flex flex-wrap items-center gap-2 py-2.5 pr-3 pl-4 sm:pl-5">
        <h3 className="min-w-0 flex-1 text-base tracking-tight wrap-anywhere">Código para: {pixel.name}</h3>
        {whole.data ? (
          <CopyButton
            text={displayedCode(whole.data)}
            className="max-sm:order-1 max-sm:mr-1 max-sm:flex-[1_1_100%]"
          />
        ) : null}
        <IconButton label="Fechar código" onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      <PanelHealth pixel={pixel} run={run} onFix={onFix} />
      <HoursChart pixelId={pixel.id} />
      <QueryView
        query={whole}
        failure="Não foi possível carregar o código."
        loading={<LoadingLines label="Carregando o código" />}
      >
        {(data) =>
          data === null ? (
            <EmptyState title={PIXEL_GONE} />
          ) : (
            <>
              <CodeBlock code={displayedCode(data)} className="mx-2 mb-2" />
              <PixelHosts pixel={data} />
            </>
          )
        }
      </QueryView>
    </Card>
  )
}

const PARTS = [
  { key: 'failed', label: 'Falhou', colour: 'bar-failed' },
  { key: 'blocked', label: 'Bloqueada', colour: 'bar-blocked' },
  { key: 'ran', label: 'Rodou', colour: 'bar-ran' },
] as const

/** The last 24 hours of a pixel, an hour a bar. */
function HoursChart({ pixelId }: { pixelId: string }) {
  return (
    <QueryView
      query={useTagHours(pixelId)}
      look="line"
      failure="Não foi possível carregar as últimas 24 horas."
      loading={<div aria-busy="true" className="h-28" />}
    >
      {(hours) => <Hours hours={hours} />}
    </QueryView>
  )
}

function Hours({ hours }: { hours: readonly TagHour[] }) {
  const total = (key: (typeof PARTS)[number]['key']) => hours.reduce((sum, hour) => sum + hour[key], 0)
  const most = Math.max(...hours.map(countOf))
  const summary = PARTS.map(({ key, label }) => `${label}: ${formatNumber(total(key))}`).reverse()
  return (
    <figure className="px-4 pb-4 sm:px-5">
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 pb-2.5 text-sm text-text-2">
        <b className="mr-auto font-semibold text-ink">Últimas 24 horas</b>
        {most === 0
          ? 'Nenhuma visita nas últimas 24 horas.'
          : [...PARTS].reverse().map(({ key, label, colour }) => (
              <span key={key} className="inline-flex items-center gap-1.5">
                <span aria-hidden="true" className={`size-2.5 rounded-[3px] ${colour}`} />
                {label}: {formatNumber(total(key))}
              </span>
            ))}
      </figcaption>
      <div
        role="img"
        aria-label={`Visitas por hora nas últimas 24 horas. ${summary.join(', ')}.`}
        className="flex h-16 items-end gap-[3px] border-b border-line-2"
      >
        {hours.map((hour) => (
          <Bar key={hour.hour} hour={hour} most={most} />
        ))}
      </div>
      <p aria-hidden="true" className="flex justify-between pt-1 text-xs text-text-2">
        <span>{formatClock(hours[0]?.hour ?? 0)}</span>
        <span>agora</span>
      </p>
    </figure>
  )
}

function Bar({ hour, most }: { hour: TagHour; most: number }) {
  const count = countOf(hour)
  return (
    <span
      title={`${formatClock(hour.hour)}: ${formatCount(count, 'visita', 'visitas')}`}
      className="flex h-full flex-1 flex-col justify-end overflow-hidden rounded-t-[3px]"
    >
      {PARTS.map(({ key, colour }) =>
        hour[key] === 0 ? null : (
          <span
            key={key}
            className={`min-h-[2px] ${colour}`}
            style={{ height: `${(hour[key] / most) * 100}%` }}
          />
        ),
      )}
    </span>
  )
}

function countOf(hour: TagHour): number {
  return hour.ran + hour.blocked + hour.failed
}

interface PanelHealthProps {
  pixel: ListedPixel
  run: PixelRun | undefined
  onFix: (startsAt: FormStart) => void
}

/** Health, every reason with its fix, and warnings about the code. */
function PanelHealth({ pixel, run, onFix }: PanelHealthProps) {
  const health = healthOf(pixel, run?.status)
  const mark = useRef<HTMLDivElement>(null)
  if (health === undefined) return null
  return (
    <section aria-label="Funcionamento do pixel" className="grid gap-3 px-4 pb-4 sm:px-5">
      <div ref={mark} tabIndex={-1} className="focus:outline-0">
        <HealthMark health={health} run={run} />
      </div>
      <HealthNotes pixelId={pixel.id} run={run} focusAfter={mark} onFix={onFix} />
    </section>
  )
}
