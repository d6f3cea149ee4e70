import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import type { Pixel } from '#contract/pixel.ts'
import { aboutPixel } from './cached-pixels.ts'
import { PIXELS_KEY } from './list-pixels.ts'
import { useRestorePixel } from './restore-pixel.ts'
import { TRASH_KEY } from './trash-key.ts'

export function useDeletePixel() {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const restore = useRestorePixel()
  const remove = useMutation({
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
