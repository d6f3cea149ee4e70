import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure, notifySuccess } from '#admin/components/notify.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import { type AdminUser, PRINCIPAL_CANNOT_BE_DELETED } from '#contract/accounts.ts'
import { ADMIN_USERS_KEY } from './list-admin-users.ts'

/** `onDeletedSelf` is called when the person removed their own account. */
export function useDeleteAdminUser(ownId: string, onDeletedSelf: () => void) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: async ({ id, is_principal }: AdminUser) => {
      if (is_principal) throw new RequestError({ status: 400, message: PRINCIPAL_CANNOT_BE_DELETED })
      return unwrap(data.from('admin_users').delete().eq('id', id).select('id'))
    },
    onSuccess: (_rows, { id, email }) => {
      if (id === ownId) return onDeletedSelf()
      queryClient.setQueryData<AdminUser[]>(ADMIN_USERS_KEY, (users) =>
        users?.filter((user) => user.id !== id),
      )
      notifySuccess(`Usuário excluído: ${email}`)
      void queryClient.invalidateQueries({ queryKey: ADMIN_USERS_KEY })
    },
    onError: (error, user) =>
      notifyFailure('Erro ao excluir usuário', error, {
        label: 'Tentar novamente',
        run: () => remove.mutate(user),
      }),
  })
  return remove
}
