import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Card } from '#admin/components/card.tsx'
import { CopyButton } from '#admin/components/copy-button.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { displayedCode } from '../displayed-code.ts'
import { CodeBlock } from './code-block.tsx'
import type { FormStart } from './form-start.ts'
import { HoursChart } from './hours-chart.tsx'
import { PanelHealth } from './panel-health.tsx'
import { PixelHosts } from './pixel-hosts.tsx'

interface CodePanelProps {
  pixel: Pixel
  run: PixelRun | undefined
  onMend: (startsAt: FormStart) => void
  onClose: () => void
}

export function CodePanel({ pixel, run, onMend, onClose }: CodePanelProps) {
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
      <PanelHealth pixel={pixel} run={run} onMend={onMend} />
      <HoursChart pixelId={pixel.id} />
      <CodeBlock code={code} className="mx-2 mb-2" />
      <PixelHosts pixel={pixel} />
    </Card>
  )
}
