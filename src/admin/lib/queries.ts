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

/** `onRefused` hears of every call that was refused for who made it: the session may be over. */
export function createQueryClient(onRefused: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof RequestError && (error.status === 401 || error.status === 403)) onRefused()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The server may be on this very machine: being "offline" is no reason to hold a request back.
      queries: { retry: shouldRetryRead, retryDelay, networkMode: 'always', refetchOnWindowFocus: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
}

const MAX_RETRIES = 3

/** The data client itself repeats reads on 503 and on a lost connection; these two it does not. */
const RETRYABLE = new Set([502, 504])

export function shouldRetryRead(failureCount: number, error: unknown): boolean {
  return failureCount < MAX_RETRIES && error instanceof RequestError && RETRYABLE.has(error.status)
}

export function retryDelay(failureCount: number): number {
  return 500 * 2 ** failureCount
}

type Answer<Row> = PromiseLike<{ data: Row[] | null; error: PostgrestError | null; status: number }>

interface StoreRow<Row> {
  /** `updated_at` of the row as it was opened; null once the person chose to replace somebody else's change. */
  unchangedSince: string | null
  /** Stores the change in the row, only while it is unchanged when that is asked for, and answers with what it stored. */
  update: (unchangedSince: string | null) => Answer<Row>
  read: () => Answer<Row>
  /** Said when somebody else deleted it. */
  gone: string
}

/** Changes a row that somebody else may have open too: nobody's work is replaced without their knowing. */
export async function storeRow<Row>({ unchangedSince, update, read, gone }: StoreRow<Row>): Promise<Row> {
  // No row matches when `updated_at` has moved on: somebody saved in between.
  const [saved] = await unwrap(update(unchangedSince))
  if (saved !== undefined) return saved
  const [theirs] = await unwrap(read())
  throw theirs === undefined
    ? new RequestError({ status: 404, message: gone })
    : new ChangedElsewhereError<Row>(theirs)
}

interface SaveRow<Input, Row> {
  listKey: QueryKey
  /** Saves, and other mutations, of one scope wait for each other. */
  scope?: MutationScope
  save: (input: Input, signal: AbortSignal) => Promise<Row>
  onSaved?: (row: Row) => Promise<unknown>
}

/** Saving a row of a list from a form: in the list at once, refused when somebody else changed it, and interruptible. */
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
    // Before its turn comes: what waits can be interrupted too.
    onMutate: () => {
      running.current = new AbortController()
    },
    mutationFn: (input: Input) => save(input, (running.current ?? new AbortController()).signal),
    onSuccess: async (row) => {
      queryClient.setQueryData<Row[]>(listKey, (rows) => rows && putRow(rows, row))
      await onSaved?.(row)
    },
    // Not waited for: the form is done when the row is saved.
    onSettled: () => void queryClient.invalidateQueries({ queryKey: listKey }),
  })
  return {
    ...mutation,
    /** The row as somebody else saved it meanwhile. */
    theirs: mutation.error instanceof ChangedElsewhereError ? (mutation.error.theirs as Row) : null,
    /** It may have arrived all the same: the list, which is asked for again, tells. */
    interrupt: () => running.current?.abort(),
  }
}

/** Thrown when somebody else saved this row after it was opened here. */
class ChangedElsewhereError<T> extends Error {
  /** The row as it is stored now. */
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

/** A list with this row in it: in its place when it was there, else first, for lists are newest first. */
export function putRow<T extends Row>(rows: readonly T[], row: T): T[] {
  return rows.some(({ id }) => id === row.id)
    ? rows.map((old) => (old.id === row.id ? row : old))
    : [row, ...rows]
}

interface ActionOptions<Data, Input> extends UseMutationOptions<Data, Error, Input> {
  mutationFn: (input: Input) => Promise<Data>
  /** What a call is about: calls about different things run side by side. Without it, there is one call at a time. */
  of?: (input: Input) => string
  /** Every call counts, in the order of its `scope`: a switch that is clicked three times ends as it was clicked last. */
  queued?: true
}

/**
 * What a person sets off: the only mutation of the dashboard. While a call is under way, another one about the same thing
 * does nothing. `isPending`, by which a button looks busy, comes with the next render: too late for a double click.
 *
 *     const remove = useAction({ mutationFn: (id: string) => …, of: (id) => id, onError: (error) => … })
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
        // Before the callbacks, which may offer an undo: that is a call of its own.
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
    // A failure is reported by the mutation's own state and callbacks.
    mutation.mutateAsync(...args).then(done, done)
  }
  return { ...mutation, mutate }
}

const SETTLED_MS = 300

/** A value once it has stopped changing: what is being typed is not asked for letter by letter. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
