import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelVersion, VersionKind } from '#contract/pixel-history.ts'
import { useHistory, useRestoreVersion } from './read-history.ts'
import { VersionItem } from './version-item.tsx'

/** Those that hold the whole pixel. */
const WHOLE: ReadonlySet<VersionKind> = new Set([
  'created',
  'changed',
  'switched_on',
  'switched_off',
  'restored',
])

/** Who changed what and when, line by line, and the way back. */
export function HistoryCard({ pixel }: { pixel: Pixel }) {
  const history = useHistory(pixel)
  const restore = useRestoreVersion(pixel)
  const versions = history.data?.pages.flatMap((page) => page.versions) ?? []
  const current = versions.find(({ kind }) => WHOLE.has(kind))
  const restoreFrom = (version: PixelVersion) => {
    if (restore.isPending) return
    restore.mutate({
      version,
      ...(current === undefined ? {} : { undo: () => restore.mutate({ version: current }) }),
    })
  }
  return (
    <Card role="region" aria-labelledby="history-heading" aria-busy={history.isPending}>
      <header className="px-4 pt-4 pb-4 sm:px-5">
        <h3 id="history-heading" className="text-base tracking-tight">
          Histórico
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Quem mudou o quê, linha por linha. Restaurar traz de volta nome, tipo, ID, código, categoria,
          rótulos, envio e onde roda; o status, o disjuntor, o motivo, o token e os endereços permitidos ficam
          como estão.
        </p>
      </header>
      {history.data ? (
        <>
          <ol className="px-5 pb-4 sm:px-6">
            {versions.map((version, index) => (
              <VersionItem
                key={version.id}
                version={version}
                isCurrent={index === 0}
                isRestoring={restore.isPending}
                onRestore={() => restoreFrom(version)}
              />
            ))}
          </ol>
          {history.hasNextPage ? (
            <div className="px-4 pb-5 sm:px-5">
              <Button
                look="outline"
                aria-disabled={history.isFetchingNextPage}
                onClick={() => history.isFetchingNextPage || void history.fetchNextPage()}
              >
                Mostrar mais antigas
              </Button>
            </div>
          ) : null}
        </>
      ) : history.isError ? (
        <LoadFailure
          error={history.error}
          fallback="Não deu para ler o histórico deste pixel."
          onRetry={() => void history.refetch()}
        />
      ) : (
        <div className="h-40" />
      )}
    </Card>
  )
}
