import { X } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { Card } from '#admin/components/card.tsx'
import { CopyButton } from '#admin/components/copy-button.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelRun } from '../api/tag-overview.ts'
import { displayedCode } from '../displayed-code.ts'
import { highlightCode, type TokenKind } from '../highlight-code.ts'
import { HoursChart } from './hours-chart.tsx'
import { PanelHealth } from './panel-health.tsx'
import { PixelHosts } from './pixel-hosts.tsx'

const COLOURS: Record<TokenKind, string | undefined> = {
  text: undefined,
  comment: 'text-on-ink-2',
  string: 'text-[#a9dcc0]',
  keyword: 'text-accent',
}

interface CodePanelProps {
  pixel: Pixel
  run: PixelRun | undefined
  onEditCode: () => void
  onClose: () => void
}

export function CodePanel({ pixel, run, onEditCode, onClose }: CodePanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  const code = displayedCode(pixel)
  const tokens = useMemo(() => highlightCode(code), [code])
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
      <PanelHealth pixel={pixel} run={run} onEditCode={onEditCode} />
      <HoursChart pixelId={pixel.id} />
      {/* Reachable by keyboard, so that it can be scrolled without a mouse. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
        tabIndex={0}
        className="on-ink mx-2 mb-2 max-h-[60dvh] overflow-auto rounded-1 p-5 font-mono text-[0.8125rem]/[1.7] [tab-size:2] focus-visible:outline-offset-[-4px]"
      >
        <code>
          {tokens.map((token, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which is replaced whole
            <span key={index} className={COLOURS[token.kind]}>
              {token.text}
            </span>
          ))}
        </code>
      </pre>
      <PixelHosts pixel={pixel} />
    </Card>
  )
}
