import { ChevronRight } from 'lucide-react'
import { CopyButton } from '#admin/components/copy-button.tsx'
import { CONVERSION_NAMES } from '#contract/conversions.ts'
import { formatCount } from '#contract/format-count.ts'
import type { PixelRunsIn } from '#contract/pixel.ts'
import type { PreviewState } from '../api/preview-tag.ts'
import { groupHosts } from '../group-hosts.ts'
import { WHO_OPENS_HOSTS } from '../who-opens-hosts.ts'
import { HostList } from './host-list.tsx'

interface TagForecastProps {
  preview: PreviewState
  runsIn: PixelRunsIn
}

/** Before it is saved: what the tag sends by itself, and to whom it will be able to talk. */
export function TagForecast({ preview: { preview }, runsIn }: TagForecastProps) {
  if (preview === null) return null
  const hosts = groupHosts(preview.allowed)
  if (preview.sends.length + preview.triggers.length + hosts.length === 0) return null
  const opens = `${WHO_OPENS_HOSTS[runsIn]} abre`
  return (
    <section
      aria-label="O que esta tag vai fazer"
      className="rounded-1 bg-paper px-4 py-3.5 text-[0.9375rem]"
    >
      {preview.sends.length === 0 ? null : (
        <>
          <h3 className="text-[0.9375rem] tracking-normal">O que sai sozinho</h3>
          <ul className="mt-1.5 grid gap-1 text-sm text-text-2">
            {preview.sends.map((sentence) => (
              <li key={sentence} className="wrap-anywhere">
                {sentence}
              </li>
            ))}
          </ul>
        </>
      )}
      {preview.triggers.length === 0 ? null : (
        <>
          <h3 className="mt-3 text-[0.9375rem] tracking-normal">Eventos para os acionadores do contêiner</h3>
          <p className="mt-1 text-sm text-text-2">
            No Tag Manager, crie um acionador do tipo "Evento personalizado" com cada nome.
          </p>
          <ul className="mt-1.5 grid gap-1 text-sm text-text-2">
            {preview.triggers.map(({ conversion, event }) => (
              <li key={conversion} className="flex flex-wrap items-center gap-2">
                <span className="flex-1">
                  {CONVERSION_NAMES[conversion]}: <code className="font-mono text-ink">{event}</code>
                </span>
                <CopyButton text={event} />
              </li>
            ))}
          </ul>
        </>
      )}
      {hosts.length === 0 ? null : (
        <details className="group">
          <summary className="flex min-h-11 cursor-pointer items-center gap-1 text-sm font-semibold underline-offset-4 hover:underline">
            <ChevronRight
              aria-hidden="true"
              className="size-4 flex-none transition-transform group-open:rotate-90"
            />
            {formatCount(hosts.length, `endereço que ${opens}`, `endereços que ${opens}`)}
          </summary>
          <HostList entries={hosts} />
        </details>
      )}
    </section>
  )
}
