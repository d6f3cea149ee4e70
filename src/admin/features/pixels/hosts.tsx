import { type ReactNode, useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { ConfirmDialog } from '#admin/components/modal.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { Skeleton } from '#admin/components/query-view.tsx'
import { toFailure } from '#admin/lib/api.ts'
import { cn } from '#admin/lib/cn.ts'
import { formatList, formatMinute } from '#admin/lib/format.ts'
import { describeFailure } from '#contract/error-messages.ts'
import type { Pixel, PixelRunsIn } from '#contract/pixel.ts'
import type { HostDirective, PixelHost } from '#contract/tag-status.ts'
import { usePixelHosts, useRevokeHost } from './tag-status.ts'

interface PixelHostsProps {
  pixel: Pixel
  /** `h3` where it is a card of its own. */
  heading?: 'h3' | 'h4'
}

/** Whom a pixel may talk to, where each host comes from, and the way to revoke what somebody permitted. */
export function PixelHosts({ pixel, heading: Heading = 'h4' }: PixelHostsProps) {
  const { data, isError, error, refetch } = usePixelHosts(pixel.id)
  const { revoke, isPending } = useRevokeHost(pixel.id)
  const [toRevoke, setToRevoke] = useState<string | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const entries = groupHosts(data ?? [])
  const opener = WHO_OPENS_HOSTS[pixel.runs_in]
  useFocusAfterRemoval(entries.filter(({ isPermitted }) => isPermitted).length, heading)
  return (
    <section className="px-4 pt-3 pb-4 sm:px-5" aria-busy={data === undefined && !isError}>
      <Heading
        ref={heading}
        tabIndex={-1}
        className={cn(
          'pb-1 font-semibold focus:outline-0',
          Heading === 'h3' ? 'pt-1 text-base tracking-tight' : 'text-sm tracking-normal',
        )}
      >
        Fala com
      </Heading>
      {data === undefined && isError ? (
        <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          <p>{describeFailure(toFailure(error), 'Não deu para ler os endereços deste pixel.')}</p>
          <Button look="outline" onClick={() => void refetch()}>
            Tentar novamente
          </Button>
        </div>
      ) : data === undefined ? (
        <div className="grid gap-3 py-2">
          <Skeleton className="h-3 w-48 rounded-md" />
          <Skeleton className="h-3 w-36 rounded-md" />
        </div>
      ) : entries.length === 0 ? (
        <p className="text-sm text-text-2">
          {pixel.is_active
            ? `Com ninguém: ${opener} não abre endereço nenhum.`
            : `Com ninguém: enquanto está desligado, ${opener} não abre endereço nenhum.`}
        </p>
      ) : (
        <HostList
          entries={entries}
          renderAction={({ host, isPermitted }) =>
            isPermitted ? (
              <Button
                look="outline"
                aria-label={`Revogar ${host}`}
                pending={isPending}
                onClick={() => setToRevoke(host)}
              >
                Revogar
              </Button>
            ) : null
          }
        />
      )}
      {toRevoke === null ? null : (
        <ConfirmDialog
          title="Revogar a permissão?"
          description={`Na próxima visita, ${opener} volta a barrar ${toRevoke} para ${pixel.name}.`}
          confirmLabel="Revogar"
          onCancel={() => setToRevoke(null)}
          onConfirm={() => {
            revoke(toRevoke)
            setToRevoke(null)
          }}
        />
      )}
    </section>
  )
}

interface HostListProps {
  entries: readonly HostEntry[]
  /** What can be done about one, at its end. */
  renderAction?: (entry: HostEntry) => ReactNode
}

/** Hosts, what the page opens them for, and where each comes from. */
export function HostList({ entries, renderAction }: HostListProps) {
  return (
    <ul>
      {entries.map((entry) => (
        <li
          key={entry.host}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-2 first:border-t-0"
        >
          <div className="min-w-0 flex-[1_1_12rem]">
            <p className="font-mono text-[0.8125rem] wrap-anywhere">{entry.host}</p>
            {entry.origins.map(({ text, directives }) => (
              <p key={text} className="text-sm text-text-2 wrap-anywhere">
                {directives}, {text}
              </p>
            ))}
          </div>
          {renderAction?.(entry)}
        </li>
      ))}
    </ul>
  )
}

const DIRECTIVE_LABELS: Record<HostDirective, string> = {
  script: 'scripts',
  connect: 'envios',
  img: 'imagens',
  frame: 'quadros',
  style: 'estilos',
  font: 'fontes',
  form: 'formulários',
  media: 'mídia',
}

/** One host, with where each of its entries comes from. */
interface HostEntry {
  host: string
  origins: { text: string; directives: string }[]
  /** Somebody permitted it, and can take that back. */
  isPermitted: boolean
}

export function groupHosts(hosts: readonly PixelHost[]): HostEntry[] {
  const byHost = group(hosts, ({ host }) => host)
  return [...byHost].map(([host, entries]) => ({
    host,
    origins: [...group(entries, describeOrigin)].map(([text, same]) => ({
      text,
      directives: formatList(same.map(({ directive }) => DIRECTIVE_LABELS[directive])),
    })),
    isPermitted: entries.some(({ source }) => source === 'permitted'),
  }))
}

function describeOrigin({ source, by, at }: PixelHost): string {
  if (source === 'vendor') return 'do fornecedor'
  if (source === 'code') return 'do código'
  if (at === undefined) return 'permitido pelo serviço de dados'
  return `permitido por ${by ?? 'alguém'} em ${formatMinute(at)}`
}

function group(hosts: readonly PixelHost[], keyOf: (host: PixelHost) => string): Map<string, PixelHost[]> {
  const groups = new Map<string, PixelHost[]>()
  for (const host of hosts) groups.set(keyOf(host), [...(groups.get(keyOf(host)) ?? []), host])
  return groups
}

/** Whose policy lets a tag talk to its hosts: an isolated one's are in its own frame's, and not in the page's. */
export const WHO_OPENS_HOSTS: Record<PixelRunsIn, string> = {
  page: 'a página',
  isolated: 'o quadro desta tag',
}
