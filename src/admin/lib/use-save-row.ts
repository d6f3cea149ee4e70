import { type MutationScope, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { ChangedElsewhereError } from './changed-elsewhere-error.ts'
import { putRow } from './put-row.ts'
import { useOneAtATime } from './use-one-at-a-time.ts'

interface SaveRow<Input, Row> {
  listKey: QueryKey
  /** Saves, and other mutations, of one scope wait for each other. */
  scope?: MutationScope
  save: (input: Input, signal: AbortSignal) => Promise<Row>
  onSaved?: (row: Row) => Promise<unknown>
}

/** Saving a row of a list from a form: in the list at once, told when somebody else changed it, and interruptible. */
export function useSaveRow<Input, Row extends { id: string }>({
  listKey,
  scope,
  save,
  onSaved,
}: SaveRow<Input, Row>) {
  const queryClient = useQueryClient()
  const running = useRef<AbortController>(null)
  const mutation = useOneAtATime({
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
