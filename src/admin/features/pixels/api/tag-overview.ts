import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
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
    status: pixels.find((pixel) => pixel.pixel_id === id),
    paused: paused !== null,
  }))
  if (data?.status === undefined) return undefined
  return { status: data.status, paused: data.paused, asOf: dataUpdatedAt }
}

/** A pixel that was added, switched or changed has another status: it is asked for at once. */
export function useFreshTagOverview(pixels: readonly Pixel[]): void {
  const queryClient = useQueryClient()
  const state = pixels.map((pixel) => pixel.updated_at).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is what the effect waits for.
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: TAGS_KEY })
  }, [queryClient, state])
}
