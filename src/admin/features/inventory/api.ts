import { useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { RequestError, unwrap } from '#admin/lib/api.ts'
import { useAction } from '#admin/lib/queries.ts'
import { useServices } from '#admin/lib/services.tsx'
import type { Inventory, InventoryItem } from '#contract/inventory.ts'

const KEY = ['inventory']

/** Every authorised script on the page. */
export function useInventory() {
  const { admin } = useServices()
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => admin<Inventory>('/inventory', { signal }) })
}

/** Why a script is there, in a person's words. */
export function useSaveReason({ pixel_id: id, name }: Pick<InventoryItem, 'pixel_id' | 'name'>) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (reason: string) => {
      const [row] = await unwrap(data.from('tracking_pixels').update({ reason }).eq('id', id).select('id'))
      if (row === undefined)
        throw new RequestError({ status: 404, message: 'Este pixel não existe mais. Atualize a página.' })
    },
    onSuccess: () => notifySuccess(`Motivo salvo: ${name}`),
    onError: (error) => notifyFailure('Não foi possível salvar o motivo.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: KEY }),
  })
}
