import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import type { AdminApi } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { PixelHost, PixelStatus, TagHour, TagOverview } from '#contract/tag-status.ts'
import { PIXELS_KEY } from './api.ts'
import { type BlockedLine, healthOf, isProblem, listBlockedLines } from './health.ts'

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
  return useAction({
    of: ({ about }: Change) => about,
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

/** Rolls back what the breaker of a pixel did or said. */
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

/** What the page's policy opens for one pixel, and where each entry comes from. */
export function usePixelHosts(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'hosts'],
    queryFn: async ({ signal }) =>
      (await admin<{ hosts: PixelHost[] }>(`/tags/${pixelId}/hosts`, { signal })).hosts,
  })
}

/** How many pixels have a problem; undefined while nobody knows. */
export function useProblemCount(): number | undefined {
  return useTagOverview(
    (overview) => overview.pixels.filter((status) => isProblem(healthOf({ is_active: true }, status))).length,
  ).data
}

const HOURS_REFRESH_MS = 60_000

/** The last 24 hours of one pixel, oldest first. */
export function useTagHours(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'hours'],
    queryFn: async ({ signal }) =>
      (await admin<{ hours: TagHour[] }>(`/tags/${pixelId}/hours`, { signal })).hours,
    refetchInterval: HOURS_REFRESH_MS,
  })
}

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
