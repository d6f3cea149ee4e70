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
  /** `line` in a card that says other things too: a failure is one line of it, and one of a refresh is not said. */
  look?: 'card' | 'line'
  /** Around what is said instead of the data, or above it; the data has a frame of its own. */
  frame?: (said: ReactNode) => ReactNode
  children: (data: Data) => ReactNode
}

/**
 * What a query brought, or that it is loading, or that it failed. A refresh that fails never hides what is on screen: a
 * line above it says from when it is.
 *
 *     <QueryView query={trash} failure="Não foi possível carregar a lixeira." loading={<LoadingLines label="Carregando" />}>
 *       {(data) => <TrashList trash={data} />}
 *     </QueryView>
 */
export function QueryView<Data>(props: QueryViewProps<Data>) {
  const { query, failure, loading, look = 'card', frame, children } = props
  const { data, error, isError } = query
  const framed = (said: ReactNode) => frame?.(said) ?? said
  const retry = () => void query.refetch()
  if (data === undefined)
    return isError
      ? framed(<LoadFailure look={look} error={error} fallback={failure} onRetry={retry} />)
      : loading
  // Over a session that ended lies the login.
  const isOld = isError && look === 'card' && !isSessionOver(toFailure(error))
  return (
    <>
      {isOld ? framed(<OldData since={query.dataUpdatedAt} onRetry={retry} />) : null}
      {children(data)}
    </>
  )
}

interface LoadFailureProps {
  look: 'card' | 'line'
  error: unknown
  fallback: string
  onRetry: () => void
}

function LoadFailure({ look, error, fallback, onRetry }: LoadFailureProps) {
  const failure = toFailure(error)
  const said = describeFailure(failure, fallback)
  const button = (
    <Button look="outline" onClick={onRetry}>
      <RotateCw aria-hidden="true" />
      Tentar novamente
    </Button>
  )
  if (look === 'line')
    return (
      <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pb-4 text-sm sm:px-5">
        <p>{said}</p>
        {button}
      </div>
    )
  return (
    <div role="alert">
      <EmptyState
        title={said}
        text={adviseOnFailure(failure) ?? 'Tente novamente em instantes.'}
        action={button}
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
        Não foi possível atualizar. Estes dados são de {formatMinute(since)}.
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

/** Below a paged list; nothing once everything is loaded. */
export function LoadMore({ query, text = 'Mostrar mais' }: LoadMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="border-t border-line px-4 py-4 sm:px-5">
      <Button look="outline" pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {query.isFetchingNextPage ? 'Carregando...' : text}
      </Button>
    </div>
  )
}

export function Skeleton({ className }: { className: string }) {
  return <span className={`block breathing bg-[#e6e8df] ${className}`} />
}

interface LoadingLinesProps {
  /** For screen readers. */
  label: string
  /** Size of the lines after the first. */
  className?: string
}

/** In a card that is loading. */
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
