import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import type { AdminApi } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { arrivedAt } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import { MINUTE_MS } from '#contract/durations.ts'
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
  /** True if rows of pixels, and so their hosts, changed. */
  changesPixels?: boolean
  undo?: () => void
}

/** A change of the tags: its response is the new state of all tags, sent when the site has it. */
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

/** Pauses or resumes every tag of the site. */
export function usePauseTags() {
  const change = useTagChange()
  const pause = (paused: boolean): void =>
    change.mutate({
      make: (admin) => admin('/tags/pause', { method: 'PUT', body: { paused } }),
      about: 'tags-paused',
      done: paused ? 'Todas as tags foram pausadas' : 'As tags voltaram a funcionar',
      failed: paused ? 'Não foi possível pausar as tags.' : 'Não foi possível retomar as tags.',
      undo: () => pause(!paused),
    })
  return { pause, isPending: change.isPending }
}

interface Permission {
  /** Ids of blocked hosts. */
  ids: readonly string[]
  hosts: readonly string[]
  /** The pixels that it is for. */
  pixelIds: readonly string[]
  /** Set if the tag that tried is unknown. */
  pixelId?: string
}

const hostPath = (pixelId: string, host: string) => `/tags/${pixelId}/hosts/${encodeURIComponent(host)}`

const aboutHosts = (hosts: readonly string[]) => `hosts ${hosts.join(' ')}`

/** Decides about blocked hosts. */
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
        done: `Domínio permitido: ${hosts.join(', ')}`,
        failed: `Não foi possível permitir ${hosts.join(', ')}.`,
        changesPixels: true,
        undo: () =>
          change.mutate({
            make: async (admin) => {
              for (const pixel of pixelId === undefined ? pixelIds : [pixelId])
                for (const host of hosts) await admin(hostPath(pixel, host), { method: 'DELETE' })
              return admin<TagOverview>('/tags')
            },
            about: aboutHosts(hosts),
            done: `Permissão removida: ${hosts.join(', ')}`,
            failed: `Não foi possível remover a permissão de ${hosts.join(', ')}.`,
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
        done: `Bloqueio ignorado: ${hosts.join(', ')}`,
        failed: `Não foi possível ignorar ${hosts.join(', ')}.`,
      }),
  }
}

/** Ends a pause or warning of a pixel's breaker. */
export function useRearm(pixelId: string) {
  const change = useTagChange()
  return {
    isPending: change.isPending,
    rearm: (isPaused: boolean) =>
      change.mutate({
        make: (admin) => admin(`/pixels/${pixelId}/rearm`, { method: 'POST', body: {} }),
        about: `rearm-${pixelId}`,
        done: isPaused ? 'A tag voltou a funcionar' : 'Aviso dispensado',
        failed: isPaused ? 'Não foi possível retomar a tag.' : 'Não foi possível dispensar o aviso.',
      }),
  }
}

/** Revokes a permitted host of a pixel. */
export function useRevokeHost(pixelId: string) {
  const change = useTagChange()
  return {
    isPending: change.isPending,
    revoke: (host: string) =>
      change.mutate({
        make: (admin) => admin(hostPath(pixelId, host), { method: 'DELETE' }),
        about: aboutHosts([host]),
        done: `Permissão removida: ${host}`,
        failed: `Não foi possível remover a permissão de ${host}.`,
        changesPixels: true,
      }),
  }
}

/** The hosts of one pixel in the page's policy, with their origins. */
export function usePixelHosts(pixelId: string) {
  const { admin } = useServices()
  return useQuery({
    queryKey: [...TAGS_KEY, pixelId, 'hosts'],
    queryFn: async ({ signal }) =>
      (await admin<{ hosts: PixelHost[] }>(`/tags/${pixelId}/hosts`, { signal })).hosts,
  })
}

/** Number of pixels with a problem; undefined if unknown. */
export function useProblemCount(): number | undefined {
  return useTagOverview(
    (overview) => overview.pixels.filter((status) => isProblem(healthOf({ is_active: true }, status))).length,
  ).data
}

const HOURS_REFRESH_MS = MINUTE_MS

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

/** The state of the tags on the site. */
export function useTagOverview<T = TagOverview>(select?: (overview: TagOverview) => T) {
  const { admin } = useServices()
  return useQuery({
    queryKey: TAGS_KEY,
    queryFn: ({ signal }) => admin<TagOverview>('/tags', { signal }),
    refetchInterval: REFRESH_MS,
    // Many parts of a screen read it, and they come one after the other: one request serves them all.
    refetchOnMount: ({ state }) => state.dataUpdatedAt < arrivedAt(),
    // Comparing ten thousand statuses with the former ones costs more than drawing the few rows in sight again.
    structuralSharing: false,
    ...(select === undefined ? {} : { select }),
  })
}

export interface PixelRun {
  status: PixelStatus
  /** What the policy stopped. */
  blocked: readonly BlockedLine[]
  /** When this was known; "há 2 min" counts from it. */
  asOf: number
}

export interface PixelRuns {
  isKnown: boolean
  /** Also false while it is unknown. */
  isPaused: boolean
  /** The state of a pixel; undefined if unknown. */
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
export function useFreshTagOverview(pixels: readonly Pick<Pixel, 'updated_at'>[]): void {
  const queryClient = useQueryClient()
  const state = useMemo(() => pixels.map((pixel) => pixel.updated_at).join(), [pixels])
  const known = useRef(state)
  useEffect(() => {
    // At first the status is on its way, with the pixels.
    if (known.current === state) return
    known.current = state
    void queryClient.invalidateQueries({ queryKey: TAGS_KEY })
  }, [queryClient, state])
}
