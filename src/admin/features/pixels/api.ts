import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess, notifyWarning } from '#admin/components/toast.tsx'
import { RequestError, unwrap } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { type Data, useServices } from '#admin/lib/services.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { RestoredPixel, Trash } from '#contract/pixel-history.ts'

export function useDeletePixel() {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const restore = useRestorePixel()
  const remove = useAction({
    of: ({ id }: Pixel) => id,
    // Deleted by somebody else meanwhile is deleted all the same.
    mutationFn: ({ id }: Pixel) => unwrap(data.from('tracking_pixels').delete().eq('id', id).select('id')),
    onSuccess: (_rows, { id, name }) => {
      queryClient.setQueryData<Pixel[]>(PIXELS_KEY, (pixels) => pixels?.filter((pixel) => pixel.id !== id))
      notifySuccess(`Pixel excluído: ${name}`, {
        about: aboutPixel(id),
        undo: () => restore.mutate({ id, name }),
      })
      void queryClient.invalidateQueries({ queryKey: TRASH_KEY })
    },
    onError: (error, pixel) =>
      notifyFailure(`Não deu para excluir o pixel ${pixel.name}.`, error, {
        label: 'Tentar novamente',
        run: () => remove.mutate(pixel),
      }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: PIXELS_KEY }),
  })
  return remove
}

interface Deleted {
  id: string
  name: string
}

/** Brings a pixel back from the trash. */
export function useRestorePixel() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const restore = useAction({
    of: ({ id }: Deleted) => id,
    mutationFn: ({ id }: Deleted) =>
      admin<RestoredPixel | null>(`/trash/${id}/restore`, { method: 'POST', body: {} }),
    onSuccess: (answer, { id, name }) =>
      answer?.warning
        ? notifyWarning(`Pixel restaurado, desligado: ${name}`, {
            about: aboutPixel(id),
            description: answer.warning,
          })
        : notifySuccess(`Pixel restaurado: ${name}`, { about: aboutPixel(id) }),
    onError: (error, pixel) =>
      notifyFailure(`Não deu para restaurar o pixel ${pixel.name}.`, error, {
        label: 'Tentar novamente',
        run: () => restore.mutate(pixel),
      }),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: PIXELS_KEY }),
        queryClient.invalidateQueries({ queryKey: TRASH_KEY }),
      ]),
  })
  return restore
}

/** What the server last said of each pixel that is being switched, for each cache. */
const confirmedIn = new WeakMap<QueryClient, Map<string, boolean>>()

function confirmedOf(queryClient: QueryClient): Map<string, boolean> {
  const known = confirmedIn.get(queryClient) ?? new Map<string, boolean>()
  confirmedIn.set(queryClient, known)
  return known
}

/** Switches a pixel on or off. On screen at once; back to what the server last said, with a message, when it refuses. */
export function useTogglePixel({ id, name }: Pick<Pixel, 'id' | 'name'>) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const confirmed = confirmedOf(queryClient)
  const mutationKey = ['toggle-pixel', id]
  /** A later click already waits its turn, and what it shows is not to be undone. */
  const isSuperseded = () => queryClient.isMutating({ mutationKey }) > 1

  const toggle = useAction({
    mutationKey,
    // One after the other, so that quick clicks are stored in the order in which they were made.
    scope: writesOf(id),
    queued: true,
    mutationFn: async (is_active: boolean): Promise<Pixel> => {
      const [row] = await unwrap(data.from('tracking_pixels').update({ is_active }).eq('id', id).select())
      if (row === undefined) throw new RequestError({ status: 404, message: PIXEL_GONE })
      return row
    },
    onMutate: async (is_active) => {
      // With other clicks on their way, what is on screen is only hoped for.
      if (!confirmed.has(id)) confirmed.set(id, readCachedPixel(queryClient, id)?.is_active ?? !is_active)
      patchCachedPixel(queryClient, id, { is_active })
      // A list that was asked for before the click would put the old value back.
      await queryClient.cancelQueries({ queryKey: PIXELS_KEY })
    },
    onSuccess: (row, is_active) => {
      confirmed.set(id, row.is_active)
      noteOwnSwitch(queryClient, readCachedPixel(queryClient, id), row)
      const superseded = isSuperseded()
      patchCachedPixel(queryClient, id, superseded ? { updated_at: row.updated_at } : row)
      if (superseded) return
      notifySuccess(`Pixel ${is_active ? 'ativado' : 'desativado'}: ${name}`, {
        about: aboutPixel(id),
        undo: () => toggle.mutate(!is_active),
      })
    },
    onError: (error, is_active) => {
      if (!isSuperseded()) patchCachedPixel(queryClient, id, { is_active: confirmed.get(id) ?? !is_active })
      notifyFailure(`Não deu para ${is_active ? 'ativar' : 'desativar'} o pixel ${name}.`, error, {
        label: 'Tentar novamente',
        run: () => toggle.mutate(is_active),
      })
      // Gone, or answered in a way that leaves its state unknown.
      void queryClient.invalidateQueries({ queryKey: PIXELS_KEY })
    },
    onSettled: () => {
      if (!isSuperseded()) confirmed.delete(id)
    },
  })
  return toggle
}

/** Subject of the messages about one pixel: a later change of it ends the offer to undo an earlier one. */
export const aboutPixel = (id: string) => `pixel-${id}`

function readCachedPixel(queryClient: QueryClient, id: string): Pixel | undefined {
  return queryClient.getQueryData<Pixel[]>(PIXELS_KEY)?.find((pixel) => pixel.id === id)
}

/** Changes one pixel of the cached list in place, so that the screen need not wait for the list to come again. */
function patchCachedPixel(queryClient: QueryClient, id: string, change: Partial<Pixel>): void {
  queryClient.setQueryData<Pixel[]>(PIXELS_KEY, (pixels) =>
    pixels?.map((pixel) => (pixel.id === id ? { ...pixel, ...change } : pixel)),
  )
}

/** Writes of one pixel from this tab wait for each other. */
export const writesOf = (id: string) => ({ id: `write-pixel-${id}` })

/** For each cache: the version of a pixel that a switch of this tab, and nothing else, made of another. */
const ownVersions = new WeakMap<QueryClient, Map<string, string>>()

/** Remembers that what was stored differs from what was on screen by the switch alone. */
function noteOwnSwitch(queryClient: QueryClient, shown: Pixel | undefined, stored: Pixel): void {
  if (shown === undefined) return
  const { is_active: _on, updated_at, ...rest } = shown
  const isOnlyOurs = Object.entries(rest).every(
    ([column, value]) => JSON.stringify(stored[column as keyof Pixel]) === JSON.stringify(value),
  )
  if (!isOnlyOurs) return
  const versions = ownVersions.get(queryClient) ?? new Map<string, string>()
  ownVersions.set(queryClient, versions.set(`${shown.id} ${updated_at}`, stored.updated_at))
}

/** The version that a pixel has now as far as this tab changed it: switching and editing it is no conflict with oneself. */
export function latestOwnVersion(queryClient: QueryClient, { id, updated_at }: Pixel): string {
  const versions = ownVersions.get(queryClient)
  let version = updated_at
  for (let next = versions?.get(`${id} ${version}`); next !== undefined && next !== version; ) {
    version = next
    next = versions?.get(`${id} ${version}`)
  }
  return version
}

export const PIXELS_KEY = ['pixels'] as const

function pixelsQuery(data: Data) {
  return queryOptions({
    queryKey: PIXELS_KEY,
    queryFn: ({ signal }): Promise<Pixel[]> =>
      unwrap(
        data
          .from('tracking_pixels')
          .select('*')
          .order('created_at', { ascending: false })
          .abortSignal(signal),
      ),
  })
}

/** Every pixel, newest first. */
export function usePixels() {
  return useQuery(pixelsQuery(useServices().data))
}

export const PIXEL_GONE = 'Este pixel já foi excluído por outra pessoa.'

/** What was deleted in the last thirty days, the newest first. */
export function useTrash() {
  const { admin } = useServices()
  return useQuery({
    queryKey: TRASH_KEY,
    queryFn: ({ signal }) => admin<Trash>('/trash', { signal }),
  })
}

const TRASH_KEY = ['trash'] as const
