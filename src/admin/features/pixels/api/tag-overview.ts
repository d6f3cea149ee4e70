import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Pixel } from '#contract/pixel.ts'
import type { TagOverview, TagStatus } from '#contract/tag-status.ts'
import { useServices } from '../../../lib/services.tsx'

export const TAGS_KEY = ['tags'] as const
const REFRESH_MS = 30_000

/** How the tags are doing on the site. */
export function useTagOverview<T = TagOverview>(select?: (overview: TagOverview) => T) {
  const { admin } = useServices()
  return useQuery({
    queryKey: TAGS_KEY,
    queryFn: ({ signal }) => admin<TagOverview>('/tags', { signal }),
    refetchInterval: REFRESH_MS,
    ...(select === undefined ? {} : { select }),
  })
}

export interface PixelRun {
  status: TagStatus
  paused: boolean
  /** When this was known, which is what "há 2 min" counts from. */
  asOf: number
}

/** How one pixel is doing, or undefined while that is not known. */
export function usePixelRun(id: string): PixelRun | undefined {
  const { data, dataUpdatedAt } = useTagOverview(({ pixels, paused }) => ({
    status: statusesById(pixels).get(id),
    paused: paused !== null,
  }))
  if (data?.status === undefined) return undefined
  return { status: data.status, paused: data.paused, asOf: dataUpdatedAt }
}

/** Every row of a long list asks for its own status: the index is made once per answer. */
const indexes = new WeakMap<readonly TagStatus[], ReadonlyMap<string, TagStatus>>()

function statusesById(statuses: readonly TagStatus[]): ReadonlyMap<string, TagStatus> {
  const known = indexes.get(statuses)
  if (known !== undefined) return known
  const index = new Map(statuses.map((status) => [status.pixel_id, status]))
  indexes.set(statuses, index)
  return index
}

/** A pixel that was added, switched or changed has another status: it is asked for at once. */
export function useFreshTagOverview(pixels: readonly Pixel[]): void {
  const queryClient = useQueryClient()
  const state = useMemo(() => pixels.map((pixel) => pixel.updated_at).join(), [pixels])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is what the effect waits for.
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: TAGS_KEY })
  }, [queryClient, state])
}
