import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import type { AdminApi } from '#admin/lib/admin-api.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { TagOverview } from '#contract/tag-status.ts'
import { PIXELS_KEY } from './list-pixels.ts'
import { TAGS_KEY } from './tag-overview.ts'

interface Change {
  make: (admin: AdminApi) => Promise<TagOverview>
  /** The subject of the message. */
  about: string
  done: string
  failed: string
  /** True when the rows of the pixels are others now, and so are their hosts. */
  changesPixels?: boolean
  undo?: () => void
}

/** A change of the tags: its answer is the new state of all of them, and comes when the site already has it. */
function useTagChange() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ make }: Change) => make(admin),
    onSuccess: async (overview, { about, done, changesPixels = false, undo }) => {
      queryClient.setQueryData(TAGS_KEY, overview)
      notifySuccess(done, { about, ...(undo === undefined ? {} : { undo }) })
      if (!changesPixels) return
      await Promise.all([
        queryClient.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] === TAGS_KEY[0] && queryKey.at(-1) === 'hosts',
        }),
        queryClient.invalidateQueries({ queryKey: PIXELS_KEY }),
      ])
    },
    onError: (error, { failed }) => notifyFailure(failed, error),
  })
}

/** Stops every tag of the site, or brings them back as they were. */
export function usePauseTags() {
  const change = useTagChange()
  const pause = (paused: boolean): void =>
    change.mutate({
      make: (admin) => admin('/tags/pause', { method: 'PUT', body: { paused } }),
      about: 'tags-paused',
      done: paused ? 'Todas as tags estão pausadas' : 'As tags voltaram a rodar',
      failed: paused ? 'Não deu para pausar as tags.' : 'Não deu para retomar as tags.',
      undo: () => pause(!paused),
    })
  return { pause, isPending: change.isPending }
}

interface Permission {
  /** Rows of blocked hosts. */
  ids: readonly string[]
  hosts: readonly string[]
  /** The pixels that it is for. */
  pixelIds: readonly string[]
  /** Said when nobody knows which tag tried. */
  pixelId?: string
}

const hostPath = (pixelId: string, host: string) => `/tags/${pixelId}/hosts/${encodeURIComponent(host)}`

const aboutHosts = (hosts: readonly string[]) => `hosts ${hosts.join(' ')}`

/** Decides about what the policy stopped. */
export function useBlockedHosts() {
  const change = useTagChange()
  return {
    isPending: change.isPending,
    permit: ({ ids, hosts, pixelIds, pixelId }: Permission) =>
      change.mutate({
        make: (admin) =>
          admin('/blocked-hosts/allow', {
            method: 'POST',
            body: { ids, ...(pixelId === undefined ? {} : { pixel_id: pixelId }) },
          }),
        about: aboutHosts(hosts),
        done: `Permitido: ${hosts.join(', ')}`,
        failed: `Não deu para permitir ${hosts.join(', ')}.`,
        changesPixels: true,
        undo: () =>
          change.mutate({
            make: async (admin) => {
              for (const pixel of pixelId === undefined ? pixelIds : [pixelId])
                for (const host of hosts) await admin(hostPath(pixel, host), { method: 'DELETE' })
              return admin<TagOverview>('/tags')
            },
            about: aboutHosts(hosts),
            done: `Revogado: ${hosts.join(', ')}`,
            failed: `Não deu para revogar ${hosts.join(', ')}.`,
            changesPixels: true,
          }),
      }),
    ignore: ({ ids, hosts }: Pick<Permission, 'ids' | 'hosts'>) =>
      change.mutate({
        make: async (admin) => {
          const answers = ids.map((id) => admin<TagOverview>(`/blocked-hosts/${id}`, { method: 'DELETE' }))
          await Promise.all(answers)
          return admin<TagOverview>('/tags')
        },
        about: aboutHosts(hosts),
        done: `Ignorado: ${hosts.join(', ')}`,
        failed: `Não deu para ignorar ${hosts.join(', ')}.`,
      }),
  }
}

/** Takes back what the breaker of a pixel did or said. */
export function useRearm(pixelId: string) {
  const change = useTagChange()
  return {
    isPending: change.isPending,
    rearm: (isPaused: boolean) =>
      change.mutate({
        make: (admin) => admin(`/pixels/${pixelId}/rearm`, { method: 'POST', body: {} }),
        about: `rearm-${pixelId}`,
        done: isPaused ? 'A tag foi religada' : 'Aviso dispensado',
        failed: isPaused ? 'Não deu para religar a tag.' : 'Não deu para dispensar o aviso.',
      }),
  }
}

/** Takes a permitted host back from a pixel. */
export function useRevokeHost(pixelId: string) {
  const change = useTagChange()
  return {
    isPending: change.isPending,
    revoke: (host: string) =>
      change.mutate({
        make: (admin) => admin(hostPath(pixelId, host), { method: 'DELETE' }),
        about: aboutHosts([host]),
        done: `Revogado: ${host}`,
        failed: `Não deu para revogar ${host}.`,
        changesPixels: true,
      }),
  }
}
