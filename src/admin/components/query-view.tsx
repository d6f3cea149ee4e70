import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { adviseOnFailure, describeFailure, isSessionOver } from '#contract/error-messages.ts'
import { toFailure } from '../lib/api.ts'
import { formatMinute } from '../lib/format.ts'
import { Button } from './button.tsx'
import { EmptyState } from './message.tsx'

interface Query<Data> {
  data: Data | undefined
  error: unknown
  isError: boolean
  dataUpdatedAt: number
  refetch: () => unknown
}

interface QueryViewProps<Data> {
  query: Query<Data>
  /** Said where nothing could be loaded, unless the server says why. */
  failure: string
  loading: ReactNode
  /** Around what is said instead of the data, or above it; the data has a frame of its own. */
  frame?: (said: ReactNode) => ReactNode
  children: (data: Data) => ReactNode
}

/**
 * What a query brought, or that it is loading, or that it failed. A refresh that fails never hides what is on screen: a
 * line above it says from when it is.
 *
 *     <QueryView query={trash} failure="Não deu para carregar a lixeira." loading={<LoadingLines label="Carregando" />}>
 *       {(data) => <TrashList trash={data} />}
 *     </QueryView>
 */
export function QueryView<Data>({ query, failure, loading, frame, children }: QueryViewProps<Data>) {
  const { data, error, isError } = query
  const framed = (said: ReactNode) => frame?.(said) ?? said
  const retry = () => void query.refetch()
  if (data === undefined)
    return isError ? framed(<LoadFailure error={error} fallback={failure} onRetry={retry} />) : loading
  // Over a session that ended lies the login.
  const isOld = isError && !isSessionOver(toFailure(error))
  return (
    <>
      {isOld ? framed(<OldData since={query.dataUpdatedAt} onRetry={retry} />) : null}
      {children(data)}
    </>
  )
}

interface LoadFailureProps {
  error: unknown
  fallback: string
  onRetry: () => void
}

function LoadFailure({ error, fallback, onRetry }: LoadFailureProps) {
  const failure = toFailure(error)
  return (
    <div role="alert">
      <EmptyState
        title={describeFailure(failure, fallback)}
        text={adviseOnFailure(failure) ?? 'Tente de novo em instantes.'}
        action={
          <Button look="outline" onClick={onRetry}>
            <RotateCw aria-hidden="true" />
            Tentar novamente
          </Button>
        }
      />
    </div>
  )
}

function OldData({ since, onRetry }: { since: number; onRetry: () => void }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2 text-sm text-text-2 sm:px-5"
    >
      <p className="min-w-0 flex-[1_1_14rem]">
        Não deu para atualizar. O que está aqui é de {formatMinute(since)}.
      </p>
      <Button look="outline" onClick={onRetry}>
        Atualizar
      </Button>
    </div>
  )
}

export interface Pages {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

interface LoadMoreProps {
  query: Pages
  text?: string
}

/** Under a list that comes page by page; nothing once all of it is there. */
export function LoadMore({ query, text = 'Mostrar mais antigas' }: LoadMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="border-t border-line px-4 py-4 sm:px-5">
      <Button look="outline" pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {query.isFetchingNextPage ? 'Carregando' : text}
      </Button>
    </div>
  )
}

export function Skeleton({ className }: { className: string }) {
  return <span className={`block breathing bg-[#e6e8df] ${className}`} />
}

interface LoadingLinesProps {
  /** Spoken. */
  label: string
  /** Of what follows the first line. */
  className?: string
}

/** In a card whose content is on its way. */
export function LoadingLines({ label, className = 'h-3 w-72 max-w-full' }: LoadingLinesProps) {
  return (
    <div className="grid gap-4 p-5">
      <p role="status" className="sr-only">
        {label}
      </p>
      <Skeleton className="h-4 w-56 rounded-md" />
      <Skeleton className={`${className} rounded-md`} />
    </div>
  )
}
