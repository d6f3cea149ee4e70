import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { notifyFailure, notifySuccess, notifyWarning } from '#admin/components/toast.tsx'
import { RequestError, unwrap } from '#admin/lib/api.ts'
import { useAction, useSettled } from '#admin/lib/queries.ts'
import { isId } from '#admin/lib/router.tsx'
import { type Data, useServices } from '#admin/lib/services.tsx'
import type { Pixel } from '#contract/pixel.ts'
import type { RestoredPixel, Trash } from '#contract/pixel-history.ts'

/** What the list shows of a pixel. The rest, its code above all, is asked for when one is opened. */
const LISTED = 'id,name,type,pixel_id,is_active,created_at,updated_at'

export type ListedPixel = Pick<
  Pixel,
  'id' | 'name' | 'type' | 'pixel_id' | 'is_active' | 'created_at' | 'updated_at'
>

type Named = Pick<Pixel, 'id' | 'name'>

/** Key of the list. The key of one pixel begins with it: whatever changes one concerns both. */
export const PIXELS_KEY = ['pixels'] as const

const pixelKey = (id: string) => [...PIXELS_KEY, id] as const

/** Every pixel, newest first. */
export function usePixels() {
  const { data } = useServices()
  return useQuery({
    queryKey: PIXELS_KEY,
    queryFn: ({ signal }): Promise<ListedPixel[]> =>
      unwrap(
        data
          .from('tracking_pixels')
          .select(LISTED)
          .order('created_at', { ascending: false })
          .abortSignal(signal),
      ),
  })
}

/** One pixel with all its columns; null where there is none. */
async function readPixel(
  data: Data,
  queryClient: QueryClient,
  id: string,
  signal?: AbortSignal,
): Promise<Pixel | null> {
  const read = data.from('tracking_pixels').select('*').eq('id', id)
  const [pixel] = await unwrap(signal === undefined ? read : read.abortSignal(signal))
  if (pixel === undefined) return null
  const shown = readShown(queryClient, id)
  // A switch that is still on its way is on screen already, and no form may take it back.
  const isSwitching = shown !== undefined && confirmedOf(queryClient).has(id)
  return isSwitching ? { ...pixel, is_active: shown.is_active } : pixel
}

export function usePixel(id: string) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  return useQuery({
    queryKey: pixelKey(id),
    queryFn: ({ signal }) => readPixel(data, queryClient, id, signal),
    enabled: isId(id),
  })
}

/** What was saved is on its page at once. */
export function showSaved(queryClient: QueryClient, pixel: Pixel): void {
  queryClient.setQueryData<Pixel | null>(pixelKey(pixel.id), (shown) => shown && pixel)
}

/** The name by which the list knows a pixel that is on its way. */
export function useListedName(id: string): string | undefined {
  return readListed(useQueryClient(), id)?.name
}

/** Reads a pixel as it is stored now, for its form. Of two that are opened the later one counts. */
export function useOpenPixel<Extra>(onOpen: (pixel: Pixel, extra: Extra) => void) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const [openingId, setOpeningId] = useState<string | null>(null)
  const latest = useRef<string>(null)
  const action = useAction({
    of: ({ pixel }: { pixel: Named; extra: Extra }) => pixel.id,
    onMutate: ({ pixel }) => {
      latest.current = pixel.id
      setOpeningId(pixel.id)
    },
    mutationFn: async ({ pixel: { id } }) => {
      const pixel = await readPixel(data, queryClient, id)
      if (pixel === null) throw new RequestError({ status: 404, message: PIXEL_GONE })
      return pixel
    },
    onSuccess: (pixel, { extra }) => {
      if (latest.current === pixel.id) onOpen(pixel, extra)
    },
    onError: (error, { pixel, extra }) => {
      notifyFailure(`Não foi possível abrir o pixel ${pixel.name}.`, error, {
        label: 'Tentar novamente',
        run: () => open(pixel, extra),
      })
      void queryClient.invalidateQueries({ queryKey: PIXELS_KEY })
    },
    onSettled: (_row, _error, { pixel }) => setOpeningId((id) => (id === pixel.id ? null : id)),
  })
  const mutate = useRef(action.mutate)
  useEffect(() => {
    mutate.current = action.mutate
  })
  /** The same function at every render: the rows of a long list hold it. */
  const open = useCallback((pixel: Named, extra: Extra) => mutate.current({ pixel, extra }), [])
  return { open, openingId }
}

/** Only what may be an ID is looked for in code: letters and digits with at least one digit. */
function isIdLike(search: string): boolean {
  return /^[\w./-]{5,}$/.test(search) && /\d/.test(search)
}

const NO_IDS: ReadonlySet<string> = new Set()

/** The pixels without an ID of their own that have this one in their code. */
export function usePixelsByCode(search: string): ReadonlySet<string> {
  const { data } = useServices()
  const text = useSettled(search.trim())
  const found = useQuery({
    queryKey: [...PIXELS_KEY, 'by-code', text],
    enabled: isIdLike(text),
    queryFn: async ({ signal }) => {
      const pattern = `*${text.replaceAll('_', '\\_')}*`
      const rows = await unwrap(
        data
          .from('tracking_pixels')
          .select('id')
          .is('pixel_id', null)
          .ilike('code', pattern)
          .abortSignal(signal),
      )
      return new Set(rows.map(({ id }) => id))
    },
  })
  return found.data ?? NO_IDS
}

export function useDeletePixel() {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const restore = useRestorePixel()
  const remove = useAction({
    of: ({ id }: Named) => id,
    // Deleted by somebody else meanwhile is deleted all the same.
    mutationFn: ({ id }: Named) => unwrap(data.from('tracking_pixels').delete().eq('id', id).select('id')),
    onSuccess: (_rows, { id, name }) => {
      queryClient.setQueryData<ListedPixel[]>(PIXELS_KEY, (pixels) =>
        pixels?.filter((pixel) => pixel.id !== id),
      )
      queryClient.removeQueries({ queryKey: pixelKey(id), type: 'inactive' })
      notifySuccess(`Pixel excluído: ${name}`, {
        about: aboutPixel(id),
        undo: () => restore.mutate({ id, name }),
      })
      void queryClient.invalidateQueries({ queryKey: TRASH_KEY })
    },
    onError: (error, pixel) =>
      notifyFailure(`Não foi possível excluir o pixel ${pixel.name}.`, error, {
        label: 'Tentar novamente',
        run: () => remove.mutate(pixel),
      }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: PIXELS_KEY }),
  })
  return remove
}

/** Brings a pixel back from the trash. */
export function useRestorePixel() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const restore = useAction({
    of: ({ id }: Named) => id,
    mutationFn: ({ id }: Named) =>
      admin<RestoredPixel | null>(`/trash/${id}/restore`, { method: 'POST', body: {} }),
    onSuccess: (answer, { id, name }) =>
      answer?.warning
        ? notifyWarning(`Pixel restaurado como inativo: ${name}`, {
            about: aboutPixel(id),
            description: answer.warning,
          })
        : notifySuccess(`Pixel restaurado: ${name}`, { about: aboutPixel(id) }),
    onError: (error, pixel) =>
      notifyFailure(`Não foi possível restaurar o pixel ${pixel.name}.`, error, {
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

/** The last server state of each pixel that is being switched, per cache. */
const confirmedIn = new WeakMap<QueryClient, Map<string, boolean>>()

function confirmedOf(queryClient: QueryClient): Map<string, boolean> {
  const known = confirmedIn.get(queryClient) ?? new Map<string, boolean>()
  confirmedIn.set(queryClient, known)
  return known
}

/** Switches a pixel on or off. On screen at once; back to what the server last said, with a message, when it refuses. */
export function useTogglePixel({ id, name }: Named) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const confirmed = confirmedOf(queryClient)
  const mutationKey = ['toggle-pixel', id]
  /** A later click is queued, and its state must stay. */
  const isSuperseded = () => queryClient.isMutating({ mutationKey }) > 1

  const toggle = useAction({
    mutationKey,
    // One after the other, so that quick clicks are stored in the order in which they were made.
    scope: writesOf(id),
    queued: true,
    mutationFn: async (is_active: boolean): Promise<ListedPixel> => {
      const change = () => data.from('tracking_pixels').update({ is_active }).eq('id', id)
      const shown = readShown(queryClient, id)
      // First only if nobody else has changed it: then the switch alone makes the two versions differ.
      const [own] = shown ? await unwrap(change().eq('updated_at', shown.updated_at).select(LISTED)) : []
      if (own !== undefined) {
        noteOwnSwitch(queryClient, id, shown?.updated_at, own.updated_at)
        return own
      }
      const [row] = await unwrap(change().select(LISTED))
      if (row === undefined) throw new RequestError({ status: 404, message: PIXEL_GONE })
      // The rest of it is another person's, and not on screen yet.
      void queryClient.invalidateQueries({ queryKey: pixelKey(id) })
      return row
    },
    onMutate: async (is_active) => {
      // With other clicks on their way, what is on screen is only hoped for.
      if (!confirmed.has(id)) confirmed.set(id, readShown(queryClient, id)?.is_active ?? !is_active)
      patchShown(queryClient, id, { is_active })
      // What was asked for before the click would put the old value back.
      await queryClient.cancelQueries({
        queryKey: PIXELS_KEY,
        predicate: ({ state }) => state.data !== undefined,
      })
    },
    onSuccess: (row, is_active) => {
      confirmed.set(id, row.is_active)
      const superseded = isSuperseded()
      patchShown(queryClient, id, superseded ? { updated_at: row.updated_at } : row)
      if (superseded) return
      notifySuccess(`Pixel ${is_active ? 'ativado' : 'desativado'}: ${name}`, {
        about: aboutPixel(id),
        undo: () => toggle.mutate(!is_active),
      })
    },
    onError: (error, is_active) => {
      if (!isSuperseded()) patchShown(queryClient, id, { is_active: confirmed.get(id) ?? !is_active })
      notifyFailure(`Não foi possível ${is_active ? 'ativar' : 'desativar'} o pixel ${name}.`, error, {
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

function readListed(queryClient: QueryClient, id: string): ListedPixel | undefined {
  return queryClient.getQueryData<ListedPixel[]>(PIXELS_KEY)?.find((pixel) => pixel.id === id)
}

/** As its own page shows it, or as the list does. */
function readShown(queryClient: QueryClient, id: string): ListedPixel | undefined {
  return queryClient.getQueryData<Pixel | null>(pixelKey(id)) ?? readListed(queryClient, id)
}

/** Changes one pixel in place, in the list and on its page, so that the screen need not wait for either to come again. */
function patchShown(queryClient: QueryClient, id: string, change: Partial<ListedPixel>): void {
  queryClient.setQueryData<ListedPixel[]>(PIXELS_KEY, (pixels) =>
    pixels?.map((pixel) => (pixel.id === id ? { ...pixel, ...change } : pixel)),
  )
  queryClient.setQueryData<Pixel | null>(
    pixelKey(id),
    // Its version moves with our own changes only: with another person's, the columns that are not here are old.
    (pixel) => pixel && { ...pixel, ...change, updated_at: latestOwnVersion(queryClient, pixel) },
  )
}

/** Writes of one pixel from this tab wait for each other. */
export const writesOf = (id: string) => ({ id: `write-pixel-${id}` })

/** For each cache: the version of a pixel that a switch of this tab, and nothing else, made of another. */
const ownVersions = new WeakMap<QueryClient, Map<string, string>>()

function noteOwnSwitch(queryClient: QueryClient, id: string, from: string | undefined, to: string): void {
  const versions = ownVersions.get(queryClient) ?? new Map<string, string>()
  ownVersions.set(queryClient, versions.set(`${id} ${from}`, to))
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

export const PIXEL_GONE = 'Outra pessoa excluiu este pixel. Você pode restaurá-lo na Lixeira.'

/** What was deleted in the last thirty days, the newest first. */
export function useTrash() {
  const { admin } = useServices()
  return useQuery({
    queryKey: TRASH_KEY,
    queryFn: ({ signal }) => admin<Trash>('/trash', { signal }),
  })
}

const TRASH_KEY = ['trash'] as const
