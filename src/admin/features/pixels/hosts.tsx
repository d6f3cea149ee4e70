import { type ReactNode, useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { ConfirmDialog } from '#admin/components/modal.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { QueryView, Skeleton } from '#admin/components/query-view.tsx'
import { HostName } from '#admin/components/text.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatList, formatMinute } from '#admin/lib/format.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { HostDirective, PixelHost } from '#contract/tag-status.ts'
import { usePixelHosts, useRevokeHost } from './tag-status.ts'

interface PixelHostsProps {
  pixel: Pixel
  /** `h3` in its own card. */
  heading?: 'h3' | 'h4'
}

/** Whom a pixel may talk to, where each host comes from, and the way to revoke what somebody permitted. */
export function PixelHosts({ pixel, heading: Heading = 'h4' }: PixelHostsProps) {
  const hosts = usePixelHosts(pixel.id)
  const { revoke, isPending } = useRevokeHost(pixel.id)
  const [toRevoke, setToRevoke] = useState<string | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const entries = groupHosts(hosts.data ?? [])
  useFocusAfterRemoval(entries.filter(({ isPermitted }) => isPermitted).length, heading)
  return (
    <section className="px-4 pt-3 pb-4 sm:px-5" aria-busy={hosts.isPending}>
      <Heading
        ref={heading}
        tabIndex={-1}
        className={cn(
          'pb-1 font-semibold focus:outline-0',
          Heading === 'h3' ? 'pt-1 text-base tracking-tight' : 'text-sm tracking-normal',
        )}
      >
        Domínios permitidos
      </Heading>
      <QueryView
        query={hosts}
        look="line"
        failure="Não foi possível carregar os domínios deste pixel."
        frame={(said) => <div className="-mx-4 -mb-4 sm:-mx-5">{said}</div>}
        loading={
          <div className="grid gap-3 py-2">
            <Skeleton className="h-3 w-48 rounded-md" />
            <Skeleton className="h-3 w-36 rounded-md" />
          </div>
        }
      >
        {() =>
          entries.length === 0 ? (
            <p className="text-sm text-text-2">
              {pixel.is_active
                ? 'Nenhum. Este pixel não se comunica com outros domínios.'
                : 'Nenhum enquanto o pixel estiver inativo.'}
            </p>
          ) : (
            <HostList
              entries={entries}
              renderAction={({ host, isPermitted }) =>
                isPermitted ? (
                  <Button
                    look="outline"
                    aria-label={`Remover permissão: ${host}`}
                    pending={isPending}
                    onClick={() => setToRevoke(host)}
                  >
                    Remover permissão
                  </Button>
                ) : null
              }
            />
          )
        }
      </QueryView>
      {toRevoke === null ? null : (
        <ConfirmDialog
          title="Remover a permissão deste domínio?"
          description={`A partir da próxima visita, o site volta a bloquear ${toRevoke} para ${pixel.name}.`}
          confirmLabel="Remover permissão"
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
  /** The action at the end of a host. */
  renderAction?: (entry: HostEntry) => ReactNode
}

/** Hosts with their uses and origins. */
export function HostList({ entries, renderAction }: HostListProps) {
  return (
    <ul>
      {entries.map((entry) => (
        <li
          key={entry.host}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-2 first:border-t-0"
        >
          <div className="min-w-0 flex-[1_1_12rem]">
            <HostName value={entry.host} />
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
  connect: 'envio de dados',
  img: 'imagens',
  frame: 'janelas incorporadas (iframe)',
  style: 'estilos',
  font: 'fontes',
  form: 'formulários',
  media: 'áudio e vídeo',
}

/** One host with the origins of its entries. */
interface HostEntry {
  host: string
  origins: { text: string; directives: string }[]
  /** Somebody permitted it and can revoke it. */
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
  if (source === 'vendor') return 'padrão da plataforma'
  if (source === 'code') return 'está no código do pixel'
  if (at === undefined) return 'permitido pela API'
  return `permitido por ${by ?? 'autor desconhecido'} em ${formatMinute(at)}`
}

function group(hosts: readonly PixelHost[], keyOf: (host: PixelHost) => string): Map<string, PixelHost[]> {
  const groups = new Map<string, PixelHost[]>()
  for (const host of hosts) groups.set(keyOf(host), [...(groups.get(keyOf(host)) ?? []), host])
  return groups
}
