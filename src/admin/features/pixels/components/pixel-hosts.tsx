import { useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { ConfirmDialog } from '#admin/components/confirm-dialog.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import { cn } from '#admin/lib/cn.ts'
import { toFailure } from '#admin/lib/request-error.ts'
import { describeFailure } from '#contract/error-messages.ts'
import type { Pixel } from '#contract/pixel.ts'
import { useRevokeHost } from '../api/change-tags.ts'
import { usePixelHosts } from '../api/pixel-hosts.ts'
import { groupHosts } from '../group-hosts.ts'
import { WHO_OPENS_HOSTS } from '../who-opens-hosts.ts'
import { HostList } from './host-list.tsx'

interface PixelHostsProps {
  pixel: Pixel
  /** `h3` where it is a card of its own. */
  heading?: 'h3' | 'h4'
}

/** Whom a pixel may talk to, where each host comes from, and the way to take back what somebody permitted. */
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
                aria-disabled={isPending}
                onClick={() => isPending || setToRevoke(host)}
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
