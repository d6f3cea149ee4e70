import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelHistory, PixelVersion } from '#contract/pixel-history.ts'
import { aboutPixel } from '../api/cached-pixels.ts'
import { PIXELS_KEY } from '../api/list-pixels.ts'

const historyKey = (pixelId: string) => ['history', pixelId] as const

/** The versions of a pixel, the newest first. A change of the pixel is another version. */
export function useHistory({ id, updated_at }: Pick<Pixel, 'id' | 'updated_at'>) {
  const { admin } = useServices()
  return useInfiniteQuery({
    queryKey: [...historyKey(id), updated_at],
    queryFn: ({ pageParam, signal }) =>
      admin<PixelHistory>(
        `/pixels/${id}/history${pageParam === null ? '' : `?before=${encodeURIComponent(pageParam)}`}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (former) => former,
  })
}

/** Writes an older version's content again. */
export function useRestoreVersion({ id, name }: Pick<Pixel, 'id' | 'name'>) {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ version }: { version: PixelVersion; undo?: () => void }) =>
      admin<null>(`/pixels/${id}/restore`, { method: 'POST', body: { version: version.id } }),
    onSuccess: async (_answer, { undo }) => {
      notifySuccess(`Versão restaurada: ${name}`, {
        about: aboutPixel(id),
        ...(undo === undefined ? {} : { undo }),
      })
      await queryClient.invalidateQueries({ queryKey: PIXELS_KEY })
    },
    onError: (error) => notifyFailure('Não deu para restaurar esta versão.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: historyKey(id) }),
  })
}
