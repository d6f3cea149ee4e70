import { useQuery } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import type { AdminUser } from '#contract/accounts.ts'

export const ADMIN_USERS_KEY = ['admin-users'] as const
export const ADMIN_USER_COLUMNS = 'id,email,role,is_principal,created_at,updated_at'

/** Everybody with access, newest first. */
export function useAdminUsers() {
  const { data } = useServices()
  return useQuery({
    queryKey: ADMIN_USERS_KEY,
    queryFn: ({ signal }): Promise<AdminUser[]> =>
      unwrap(
        data
          .from('admin_users')
          .select(ADMIN_USER_COLUMNS)
          .order('created_at', { ascending: false })
          .abortSignal(signal),
      ),
  })
}
