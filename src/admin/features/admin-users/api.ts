import { useQuery, useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { hasRightLength, INVALID_EMAIL, WRONG_LENGTH } from '#admin/components/form.tsx'
import { notifyFailure, notifySuccess } from '#admin/components/toast.tsx'
import { RequestError, unwrap } from '#admin/lib/api.ts'
import { storeRow, useAction, useSaveRow } from '#admin/lib/queries.ts'
import { type Data, useCurrentUser, useServices } from '#admin/lib/services.tsx'
import { type AdminUser, PRINCIPAL_CANNOT_BE_DELETED } from '#contract/accounts.ts'
import { isEmail, normalizeEmail } from '#contract/email.ts'

/** `onDeletedSelf` is called when the person deleted their own account. */
export function useDeleteAdminUser(ownId: string, onDeletedSelf: () => void) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  const remove = useAction({
    of: ({ id }: AdminUser) => id,
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

const ASK_CURRENT = 'Para alterar sua própria conta, digite sua senha atual.'

interface FormRules {
  /** The edited row; null for a new user. */
  opened: AdminUser | null
  /** True for the person's own account. */
  isSelf: boolean
}

/**
 * A password is required for a new user only; when editing, an empty one and an unchanged email keep the old values.
 * The current password proves the person.
 */
export function adminUserFormSchema({ opened, isSelf }: FormRules) {
  const creating = opened === null
  const self = isSelf ? opened : null
  const fields = z.object({
    email: z
      .string()
      .check(z.refine((email) => isEmail(email) || normalizeEmail(email) === opened?.email, INVALID_EMAIL)),
    password: z.string().check(
      z.refine((password) => password !== '' || !creating, 'Digite uma senha.'),
      z.refine((password) => password === '' || hasRightLength(password), WRONG_LENGTH),
    ),
    role: z.string(),
    current_password: z.string(),
  })
  return fields.check(
    z.refine((form) => self === null || form.current_password !== '' || !changes(form, self), {
      message: ASK_CURRENT,
      path: ['current_password'],
    }),
  )
}

function changes(form: { email: string; password: string; role: string }, user: AdminUser): boolean {
  return form.password !== '' || normalizeEmail(form.email) !== user.email || form.role !== user.role
}

export type AdminUserForm = z.infer<ReturnType<typeof adminUserFormSchema>>

interface SaveAdminUser {
  form: AdminUserForm
  /** The row as it was opened; null for a new user. */
  opened: AdminUser | null
  /** The other person's version that this person saw and chose to replace. */
  replaced: AdminUser | null
}

export function useSaveAdminUser() {
  const { auth, data } = useServices()
  const me = useCurrentUser()
  return useSaveRow({
    listKey: ADMIN_USERS_KEY,
    save: (input: SaveAdminUser, signal) => saveAdminUser(data, input, signal).catch(nameTakenEmail),
    // The session carries a copy of who I am.
    onSaved: async ({ id }) => (id === me.id ? (await auth()).refreshSession() : undefined),
  })
}

async function saveAdminUser(
  data: Data,
  { form, opened, replaced }: SaveAdminUser,
  signal: AbortSignal,
): Promise<AdminUser> {
  const table = data.from('admin_users')
  const email = normalizeEmail(form.email)
  if (opened === null) {
    const row = { email, password: form.password, role: form.role }
    return unwrap(table.insert(row).select(ADMIN_USER_COLUMNS).abortSignal(signal).single())
  }
  const password = form.password === '' ? {} : { password: form.password }
  const change = opened.is_principal ? password : { email, role: form.role, ...password }
  if (Object.keys(change).length === 0) return opened
  const proof = form.current_password === '' ? {} : { current_password: form.current_password }
  return storeRow<AdminUser>({
    update: () =>
      table
        .update({ ...change, ...proof })
        .eq('id', opened.id)
        .eq('updated_at', (replaced ?? opened).updated_at)
        .select(ADMIN_USER_COLUMNS)
        .abortSignal(signal),
    read: () => table.select(ADMIN_USER_COLUMNS).eq('id', opened.id).abortSignal(signal),
    gone: 'Outra pessoa excluiu este usuário. Feche esta janela e atualize a lista.',
  })
}

/** The email is the only unique value here; the protocol only says that something was taken. */
function nameTakenEmail(error: unknown): never {
  if (error instanceof RequestError && error.code === '23505') {
    throw new RequestError({ status: error.status, code: 'email_exists', message: error.message })
  }
  throw error
}

const ADMIN_USERS_KEY = ['admin-users'] as const

const ADMIN_USER_COLUMNS = 'id,email,role,is_principal,created_at,updated_at'

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
