import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useServices } from '#admin/lib/services.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelStatus, TagOverview } from '#contract/tag-status.ts'
import { type BlockedLine, listBlockedLines } from '../list-blocked-lines.ts'

export const TAGS_KEY = ['tags'] as const
const REFRESH_MS = 30_000
const NONE: readonly BlockedLine[] = []

/** How the tags are doing on the site. */
export function useTagOverview<T = TagOverview>(select?: (overview: TagOverview) => T) {
  const { admin } = useServices()
  return useQuery({
    queryKey: TAGS_KEY,
    queryFn: ({ signal }) => admin<TagOverview>('/tags', { signal }),
    refetchInterval: REFRESH_MS,
    // Comparing ten thousand statuses with the former ones costs more than drawing the few rows in sight again.
    structuralSharing: false,
    ...(select === undefined ? {} : { select }),
  })
}

export interface PixelRun {
  status: PixelStatus
  /** What the policy kept it from. */
  blocked: readonly BlockedLine[]
  /** When this was known, which is what "há 2 min" counts from. */
  asOf: number
}

export interface PixelRuns {
  isKnown: boolean
  /** False also while it is not known. */
  isPaused: boolean
  /** How a pixel is doing; undefined while that is not known. */
  runOf: (id: string) => PixelRun | undefined
}

/** One observer serves every row of a long list. */
export function usePixelRuns(): PixelRuns {
  const { data, dataUpdatedAt: asOf } = useTagOverview()
  return useMemo(() => {
    if (data === undefined) return { isKnown: false, isPaused: false, runOf: () => undefined }
    const lines = listBlockedLines(data)
    const blockedOf = (id: string) =>
      lines.length === 0 ? NONE : lines.filter(({ pixelIds }) => pixelIds.includes(id))
    const runs = new Map<string, PixelRun>(
      data.pixels.map((status) => [status.pixel_id, { status, blocked: blockedOf(status.pixel_id), asOf }]),
    )
    return { isKnown: true, isPaused: data.paused !== null, runOf: (id) => runs.get(id) }
  }, [data, asOf])
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
