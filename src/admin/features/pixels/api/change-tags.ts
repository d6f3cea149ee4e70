import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import type { AdminCall } from '#admin/lib/admin-api.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { TagOverview } from '#contract/tag-status.ts'
import { PIXELS_KEY } from './list-pixels.ts'
import { TAGS_KEY } from './tag-overview.ts'

interface Change {
  path: string
  call: AdminCall
  done: string
  failed: string
  undo?: () => void
}

/** A change of the tags: its answer is the new state of all of them, and comes when the site already has it. */
function useTagChange() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ path, call }: Change) => admin<TagOverview>(path, call),
    onSuccess: (overview, { done, undo }) => {
      queryClient.setQueryData(TAGS_KEY, overview)
      notifySuccess(done, { about: 'tags', ...(undo === undefined ? {} : { undo }) })
    },
    onError: (error, { failed }) => notifyFailure(failed, error),
  })
}

/** Stops every tag of the site, or brings them back as they were. */
export function usePauseTags() {
  const change = useTagChange()
  const pause = (paused: boolean): void =>
    change.mutate({
      path: '/tags/pause',
      call: { method: 'PUT', body: { paused } },
      done: paused ? 'Todas as tags estão pausadas' : 'As tags voltaram a rodar',
      failed: paused ? 'Não deu para pausar as tags.' : 'Não deu para retomar as tags.',
      undo: () => pause(!paused),
    })
  return { pause, isPending: change.isPending }
}

/** Allows a blocked host, for the pixel that tried or for the one that is named; or puts it aside. */
export function useBlockedHost(id: string, host: string) {
  const change = useTagChange()
  const queryClient = useQueryClient()
  return {
    isPending: change.isPending,
    allow: (pixelId?: string) =>
      change.mutate(
        {
          path: `/blocked-hosts/${id}/allow`,
          call: { method: 'POST', body: pixelId === undefined ? {} : { pixel_id: pixelId } },
          done: `Permitido: ${host}`,
          failed: `Não deu para permitir ${host}.`,
        },
        { onSuccess: () => void queryClient.invalidateQueries({ queryKey: PIXELS_KEY }) },
      ),
    dismiss: () =>
      change.mutate({
        path: `/blocked-hosts/${id}`,
        call: { method: 'DELETE' },
        done: `Ignorado: ${host}`,
        failed: `Não deu para ignorar ${host}.`,
      }),
  }
}
