import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import type { Pixel } from '#contract/pixel.ts'
import { PIXELS_KEY } from './list-pixels.ts'

export function useDeletePixel() {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const remove = useMutation({
    // Deleted by somebody else meanwhile is deleted all the same.
    mutationFn: ({ id }: Pixel) => unwrap(data.from('tracking_pixels').delete().eq('id', id).select('id')),
    onSuccess: (_rows, { id, name }) => {
      queryClient.setQueryData<Pixel[]>(PIXELS_KEY, (pixels) => pixels?.filter((pixel) => pixel.id !== id))
      notifySuccess(`Pixel excluído: ${name}`)
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
