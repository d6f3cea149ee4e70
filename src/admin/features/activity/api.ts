import { useInfiniteQuery } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/toast.tsx'
import { saveFile } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { ActivityKind, ActivityPage } from '#contract/activity.ts'

export interface ActivityFilter {
  search: string
  by: string
  kind: ActivityKind | 'all'
}

export const NO_FILTER: ActivityFilter = { search: '', by: '', kind: 'all' }

/** Activity, newest first, in pages. */
export function useActivity(filter: ActivityFilter) {
  const { admin } = useServices()
  return useInfiniteQuery({
    queryKey: ['activity', filter],
    queryFn: ({ pageParam, signal }) =>
      admin<ActivityPage>(`/activity${toQuery(filter, pageParam)}`, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (former) => former,
  })
}

/** Exports all results of the current filter. */
export function useExportActivity() {
  const { admin } = useServices()
  return useAction({
    mutationFn: async (filter: ActivityFilter) =>
      saveFile(await admin.file(`/activity/export${toQuery(filter, null)}`), 'atividade.csv'),
    onError: (error) => notifyFailure('Não foi possível baixar a atividade.', error),
  })
}

function toQuery({ search, by, kind }: ActivityFilter, before: string | null): string {
  const query = new URLSearchParams({
    ...(search.trim() === '' ? {} : { search: search.trim() }),
    ...(by === '' ? {} : { by }),
    ...(kind === 'all' ? {} : { kind }),
    ...(before === null ? {} : { before }),
  }).toString()
  return query === '' ? '' : `?${query}`
}
