import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { Trash } from '#contract/pixel-history.ts'
import { TRASH_KEY } from '../api/trash-key.ts'

/** What was deleted in the last thirty days, the newest first. */
export function useTrash() {
  const { admin } = useServices()
  return useQuery({
    queryKey: TRASH_KEY,
    queryFn: ({ signal }) => admin<Trash>('/trash', { signal }),
  })
}
