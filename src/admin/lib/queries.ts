import type { PostgrestError } from '@supabase/postgrest-js'
import {
  MutationCache,
  type MutationScope,
  QueryCache,
  QueryClient,
  type QueryKey,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { RequestError, unwrap } from './api.ts'

/** `onRefused` is called for every 401 and 403: the session may be over. */
export function createQueryClient(onRefused: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof RequestError && (error.status === 401 || error.status === 403)) onRefused()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The server may be on this machine: being "offline" is no reason to hold a request back.
      queries: { retry: shouldRetryRead, retryDelay, networkMode: 'always', refetchOnWindowFocus: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
}

/** Calls `work` once nothing is being asked for: what a person waits for comes before what they may want later. */
export function whenQuiet(queryClient: QueryClient, work: () => void): () => void {
  const look = () => {
    if (queryClient.isFetching() > 0) return
    stop()
    work()
  }
  const stop = queryClient.getQueryCache().subscribe(look)
  look()
  return stop
}

const MAX_RETRIES = 3

/** The data client retries reads on 503 and lost connections, but not on these two. */
const RETRYABLE = new Set([502, 504])

export function shouldRetryRead(failureCount: number, error: unknown): boolean {
  return failureCount < MAX_RETRIES && error instanceof RequestError && RETRYABLE.has(error.status)
}

export function retryDelay(failureCount: number): number {
  return 500 * 2 ** failureCount
}

type Answer<Row> = PromiseLike<{ data: Row[] | null; error: PostgrestError | null; status: number }>

interface StoreRow<Row> {
  /** Updates the row if it still is the version that the person saw, and returns what was stored. */
  update: () => Answer<Row>
  read: () => Answer<Row>
  /** Message if another person deleted it. */
  gone: string
}

/** Changes a row that another person may have open: nobody's work is replaced unnoticed. */
export async function storeRow<Row>({ update, read, gone }: StoreRow<Row>): Promise<Row> {
  // No row matches if `updated_at` has changed: somebody saved in between.
  const [saved] = await unwrap(update())
  if (saved !== undefined) return saved
  const [theirs] = await unwrap(read())
  throw theirs === undefined
    ? new RequestError({ status: 404, message: gone })
    : new ChangedElsewhereError<Row>(theirs)
}

interface SaveRow<Input, Row> {
  listKey: QueryKey
  /** Mutations of one scope wait for each other. */
  scope?: MutationScope
  save: (input: Input, signal: AbortSignal) => Promise<Row>
  onSaved?: (row: Row) => Promise<unknown>
}

/**
 * Saves a row of a list from a form: shown in the list at once, refused if another person changed it, and cancellable.
 */
export function useSaveRow<Input, Row extends { id: string }>({
  listKey,
  scope,
  save,
  onSaved,
}: SaveRow<Input, Row>) {
  const queryClient = useQueryClient()
  const running = useRef<AbortController>(null)
  const mutation = useAction({
    ...(scope === undefined ? {} : { scope }),
    // Before its turn: a queued one can be cancelled too.
    onMutate: () => {
      running.current = new AbortController()
    },
    mutationFn: (input: Input) => save(input, (running.current ?? new AbortController()).signal),
    onSuccess: async (row) => {
      queryClient.setQueryData<Row[]>(listKey, (rows) => rows && putRow(rows, row))
      await onSaved?.(row)
    },
    // Not awaited: the form is done when the row is saved.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: listKey }),
  })
  return {
    ...mutation,
    /** The row as another person saved it meanwhile. */
    theirs: mutation.error instanceof ChangedElsewhereError ? (mutation.error.theirs as Row) : null,
    /** It may have arrived anyway: the list, which is requested again, shows it. */
    interrupt: () => running.current?.abort(),
  }
}

/** Thrown if another person saved this row after it was opened here. */
class ChangedElsewhereError<T> extends Error {
  /** The row as stored now. */
  readonly theirs: T

  constructor(theirs: T) {
    super('the row was changed elsewhere')
    this.name = 'ChangedElsewhereError'
    this.theirs = theirs
  }
}

interface Row {
  id: string
}

/** The list with this row: in its place, else first, because lists are newest first. */
export function putRow<T extends Row>(rows: readonly T[], row: T): T[] {
  return rows.some(({ id }) => id === row.id)
    ? rows.map((old) => (old.id === row.id ? row : old))
    : [row, ...rows]
}

interface ActionOptions<Data, Input> extends UseMutationOptions<Data, Error, Input> {
  mutationFn: (input: Input) => Promise<Data>
  /** What a call is about: calls about different things run in parallel. Without it, one call at a time. */
  of?: (input: Input) => string
  /** Every call counts, in the order of its `scope`: a switch that is clicked three times ends as it was clicked last. */
  queued?: true
}

/**
 * An action of a person: the only mutation of the dashboard. While a call runs, another one about the same thing does
 * nothing. `isPending` changes with the next render: too late for a double click.
 *
 * const remove = useAction({ mutationFn: (id: string) => …, of: (id) => id, onError: (error) => … })
 */
export function useAction<Data, Input = void>({
  mutationFn,
  of = () => '',
  queued,
  ...options
}: ActionOptions<Data, Input>): UseMutationResult<Data, Error, Input> {
  const running = useRef(new Set<string>())
  const mutation = useMutation({
    ...options,
    mutationFn: async (input: Input) => {
      try {
        return await mutationFn(input)
      } finally {
        // Before the callbacks, which may offer an undo: that is a separate call.
        running.current.delete(of(input))
      }
    },
  })
  const mutate: typeof mutation.mutate = (...args) => {
    // Absent only where `Input` is void.
    const subject = of(args[0] as Input)
    if (running.current.has(subject) && !queued) return
    running.current.add(subject)
    const done = () => running.current.delete(subject)
    // Failures are reported by the mutation's own state and callbacks.
    mutation.mutateAsync(...args).then(done, done)
  }
  return { ...mutation, mutate }
}

const SETTLED_MS = 300

/** A value once it has stopped changing, so that requests do not follow each key. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
