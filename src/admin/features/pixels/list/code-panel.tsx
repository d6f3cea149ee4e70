import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button, CopyButton, IconButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { formatClock, formatNumber } from '#admin/lib/format.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { TagHour } from '#contract/tag-status.ts'
import { HealthMark } from '../badges.tsx'
import { CodeBlock, displayedCode } from '../code.tsx'
import type { FormStart } from '../form/schema.ts'
import { healthOf } from '../health.ts'
import { HealthNotes } from '../health-notes.tsx'
import { PixelHosts } from '../hosts.tsx'
import { type PixelRun, useTagHours } from '../tag-status.ts'

interface CodePanelProps {
  pixel: Pixel
  run: PixelRun | undefined
  onFix: (startsAt: FormStart) => void
  onClose: () => void
}

export function CodePanel({ pixel, run, onFix, onClose }: CodePanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  const code = displayedCode(pixel)
  useEffect(() => {
    // In braces: browsers have begun to return a promise from this, and an effect must not.
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <Card
      ref={panel}
      role="region"
      aria-label={`Código para: ${pixel.name}`}
      className="mt-4 scroll-mb-24 scroll-mt-20"
    >
      <header className="flex flex-wrap items-center gap-2 py-2.5 pr-3 pl-4 sm:pl-5">
        <h3 className="min-w-0 flex-1 text-base tracking-tight wrap-anywhere">Código para: {pixel.name}</h3>
        <CopyButton text={code} className="max-sm:order-1 max-sm:mr-1 max-sm:flex-[1_1_100%]" />
        <IconButton label="Fechar código" onClick={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </header>
      <PanelHealth pixel={pixel} run={run} onFix={onFix} />
      <HoursChart pixelId={pixel.id} />
      <CodeBlock code={code} className="mx-2 mb-2" />
      <PixelHosts pixel={pixel} />
    </Card>
  )
}

const PARTS = [
  { key: 'failed', label: 'Falhou', colour: 'bar-failed' },
  { key: 'blocked', label: 'Bloqueado', colour: 'bar-blocked' },
  { key: 'ran', label: 'Rodou', colour: 'bar-ran' },
] as const

/** The last 24 hours of a pixel, an hour a bar. */
function HoursChart({ pixelId }: { pixelId: string }) {
  const { data: hours, isError, refetch } = useTagHours(pixelId)
  if (hours === undefined)
    return isError ? <HoursUnknown onRetry={() => void refetch()} /> : <div className="h-28" />
  const total = (key: (typeof PARTS)[number]['key']) => hours.reduce((sum, hour) => sum + hour[key], 0)
  const most = Math.max(...hours.map(countOf))
  const summary = PARTS.map(({ key, label }) => `${label}: ${formatNumber(total(key))}`).reverse()
  return (
    <figure className="px-4 pb-4 sm:px-5">
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 pb-2.5 text-sm text-text-2">
        <b className="mr-auto font-semibold text-ink">Últimas 24 horas</b>
        {most === 0
          ? 'Nenhuma visita com esta tag ainda.'
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

function HoursUnknown({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pb-4 text-sm sm:px-5">
      <p>Não deu para ler as últimas 24 horas deste pixel.</p>
      <Button look="outline" onClick={onRetry}>
        Tentar novamente
      </Button>
    </div>
  )
}

function Bar({ hour, most }: { hour: TagHour; most: number }) {
  const count = countOf(hour)
  return (
    <span
      title={`${formatClock(hour.hour)}: ${formatNumber(count)}`}
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
  pixel: Pixel
  run: PixelRun | undefined
  onFix: (startsAt: FormStart) => void
}

/** How the pixel is doing, every reason with what mends it, and the warnings about its code. */
function PanelHealth({ pixel, run, onFix }: PanelHealthProps) {
  const health = healthOf(pixel, run?.status)
  const mark = useRef<HTMLDivElement>(null)
  if (health === undefined) return null
  return (
    <section aria-label="Saúde" className="grid gap-3 px-4 pb-4 sm:px-5">
      <div ref={mark} tabIndex={-1} className="focus:outline-0">
        <HealthMark health={health} run={run} />
      </div>
      <HealthNotes pixelId={pixel.id} run={run} focusAfter={mark} onFix={onFix} />
    </section>
  )
}
