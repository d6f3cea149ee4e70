import { ExternalLink } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { TagTest } from '#contract/tag-test.ts'
import { useBlockedHosts } from '../api/change-tags.ts'
import { listGates } from './list-gates.ts'
import { TestButton } from './test-button.tsx'
import { TestGates } from './test-gates.tsx'

interface TestVerdictPanelProps {
  test: TagTest
  pixelId: string
  pixel: Pixel | undefined
  vendor: string
  /** Known only to the tab in which the test was made. */
  link: string | undefined
  onEdit: () => void
}

/** How far the test is, or what it showed, and the next thing to do. */
export function TestVerdictPanel({ test, pixelId, pixel, vendor, link, onEdit }: TestVerdictPanelProps) {
  const { verdict, state, steps } = test
  const { permit, isPending } = useBlockedHosts()
  const isLive = state === 'waiting' || state === 'open'
  const { action } = verdict
  const stopped = steps.find(({ kind, host }) => kind === 'stopped' && host !== undefined)
  const act = () => {
    if (action?.kind === 'permit')
      permit({ ids: action.ids, hosts: [stopped?.host ?? ''], pixelIds: [pixelId] })
    else onEdit()
  }
  return (
    <section
      aria-labelledby="verdict-heading"
      className="rounded-2xl bg-ink px-4 pt-5 pb-6 text-on-ink sm:px-7 sm:pt-7 forced-colors:border"
    >
      <div className="flex flex-wrap items-start gap-x-6 gap-y-4">
        <div className="min-w-0 flex-[1_1_20rem]" role="status">
          <h3
            id="verdict-heading"
            className="text-[1.375rem]/tight tracking-tight wrap-anywhere sm:text-[1.75rem]/tight"
          >
            {verdict.title}
          </h3>
          <p className="mt-1.5 max-w-[54ch] text-pretty wrap-anywhere text-on-ink-2">{verdict.text}</p>
        </div>
        <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:*:flex-1">
          {action === undefined ? null : (
            <Button
              aria-disabled={isPending}
              onClick={() => isPending || act()}
              className="bg-accent text-ink wrap-anywhere hover:bg-accent-2"
            >
              {action.label}
            </Button>
          )}
          {state === 'waiting' && link !== undefined ? (
            <a
              href={link}
              target="_blank"
              rel="noopener noreferrer"
              className="button bg-accent text-ink hover:bg-accent-2"
            >
              <ExternalLink aria-hidden="true" />
              Abrir o site
            </a>
          ) : null}
          {pixel === undefined || (isLive && link !== undefined) ? null : (
            <TestButton pixel={pixel} look="onInk" className="max-md:border-current">
              Testar de novo
            </TestButton>
          )}
        </div>
      </div>
      <TestGates gates={listGates(test, vendor)} />
    </section>
  )
}
