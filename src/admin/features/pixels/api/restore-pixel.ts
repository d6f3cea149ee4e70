import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess, notifyWarning } from '#admin/components/notify.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { RestoredPixel } from '#contract/pixel-history.ts'
import { aboutPixel } from './cached-pixels.ts'
import { PIXELS_KEY } from './list-pixels.ts'
import { TRASH_KEY } from './trash-key.ts'

interface Deleted {
  id: string
  name: string
}

/** Brings a pixel back from the trash. */
export function useRestorePixel() {
  const { admin } = useServices()
  const queryClient = useQueryClient()
  const restore = useMutation({
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
