import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import type { Pixel } from '#contract/pixel.ts'
import { patchCachedPixel } from './cached-pixels.ts'
import { PIXELS_KEY } from './list-pixels.ts'
import { PIXEL_GONE } from './save-pixel.ts'

/** Switches a pixel on or off. On screen at once; taken back, with a message, when the server refuses. */
export function useTogglePixel({ id, name }: Pick<Pixel, 'id' | 'name'>) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const mutationKey = ['toggle-pixel', id]
  /** A later click already waits its turn, and what it shows is not to be undone. */
  const isSuperseded = () => queryClient.isMutating({ mutationKey }) > 1

  const toggle = useMutation({
    mutationKey,
    // One after the other, so that quick clicks are stored in the order in which they were made.
    scope: { id: `toggle-pixel-${id}` },
    mutationFn: async (is_active: boolean): Promise<Pixel> => {
      const [row] = await unwrap(data.from('tracking_pixels').update({ is_active }).eq('id', id).select())
      if (row === undefined) throw new RequestError({ status: 404, message: PIXEL_GONE })
      return row
    },
    onMutate: async (is_active) => {
      patchCachedPixel(queryClient, id, { is_active })
      // A list that was asked for before the click would put the old value back.
      await queryClient.cancelQueries({ queryKey: PIXELS_KEY })
    },
    onSuccess: (row, is_active) => {
      const superseded = isSuperseded()
      patchCachedPixel(queryClient, id, superseded ? { updated_at: row.updated_at } : row)
      if (superseded) return
      notifySuccess(`Pixel ${is_active ? 'ativado' : 'desativado'}: ${name}`, {
        about: `toggle-pixel-${id}`,
        undo: () => toggle.mutate(!is_active),
      })
    },
    onError: (error, is_active) => {
      if (!isSuperseded()) patchCachedPixel(queryClient, id, { is_active: !is_active })
      notifyFailure(`Não deu para ${is_active ? 'ativar' : 'desativar'} o pixel ${name}.`, error, {
        label: 'Tentar novamente',
        run: () => toggle.mutate(is_active),
      })
      // Gone, or answered in a way that leaves its state unknown.
      void queryClient.invalidateQueries({ queryKey: PIXELS_KEY })
    },
  })
  return toggle
}
