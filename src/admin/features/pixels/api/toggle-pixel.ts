import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import type { Pixel } from '#contract/pixel.ts'
import { aboutPixel, noteOwnSwitch, patchCachedPixel, readCachedPixel, writesOf } from './cached-pixels.ts'
import { PIXELS_KEY } from './list-pixels.ts'
import { PIXEL_GONE } from './pixel-gone.ts'

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

  const toggle = useMutation({
    mutationKey,
    // One after the other, so that quick clicks are stored in the order in which they were made.
    scope: writesOf(id),
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
