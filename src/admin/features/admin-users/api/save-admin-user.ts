import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { ChangedElsewhereError } from '#admin/lib/changed-elsewhere-error.ts'
import type { Data } from '#admin/lib/clients.ts'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import { putRow } from '#admin/lib/put-row.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { unwrap } from '#admin/lib/unwrap.ts'
import { type AdminUser, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract/admin-user.ts'
import { isEmail, normalizeEmail } from '#contract/email-pattern.ts'
import { ADMIN_USER_COLUMNS, ADMIN_USERS_KEY } from './list-admin-users.ts'

const ASK_CURRENT = 'Digite sua senha atual para alterar a sua própria conta.'

interface FormRules {
  /** The row that is edited; null for a new user. */
  opened: AdminUser | null
  /** True when it is that of whoever fills the form in. */
  isSelf: boolean
}

/**
 * A password is only required of a new user; on edit an empty one keeps the old, and so does an unchanged e-mail. The own
 * one proves who is there.
 */
export function adminUserFormSchema({ opened, isSelf }: FormRules) {
  const creating = opened === null
  const self = isSelf ? opened : null
  const fields = z.object({
    email: z
      .string()
      .check(
        z.refine(
          (email) => isEmail(email) || normalizeEmail(email) === opened?.email,
          'Digite um e-mail válido.',
        ),
      ),
    password: z.string().check(
      z.refine((password) => password !== '' || !creating, 'Digite uma senha.'),
      z.refine(hasRightLength, `Use de ${PASSWORD_MIN_LENGTH} a ${PASSWORD_MAX_LENGTH} caracteres.`),
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
  overwrite: boolean
}

export function useSaveAdminUser() {
  const { auth, data } = useServices()
  const queryClient = useQueryClient()
  const me = useCurrentUser()
  return useMutation({
    mutationFn: (input: SaveAdminUser) => saveAdminUser(data, input).catch(nameTakenEmail),
    onSuccess: async (user) => {
      queryClient.setQueryData<AdminUser[]>(ADMIN_USERS_KEY, (users) => users && putRow(users, user))
      // The session carries a copy of who I am.
      if (user.id === me.id) await auth.refreshSession()
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ADMIN_USERS_KEY }),
  })
}

async function saveAdminUser(data: Data, { form, opened, overwrite }: SaveAdminUser): Promise<AdminUser> {
  const table = data.from('admin_users')
  const email = normalizeEmail(form.email)
  if (opened === null) {
    return unwrap(
      table.insert({ email, password: form.password, role: form.role }).select(ADMIN_USER_COLUMNS).single(),
    )
  }
  const password = form.password === '' ? {} : { password: form.password }
  const change = opened.is_principal ? password : { email, role: form.role, ...password }
  if (Object.keys(change).length === 0) return opened
  const proof = form.current_password === '' ? {} : { current_password: form.current_password }
  const row = { ...change, ...proof }
  const update = table.update(row).eq('id', opened.id)
  const saved = await unwrap(
    (overwrite ? update : update.eq('updated_at', opened.updated_at)).select(ADMIN_USER_COLUMNS),
  )
  if (saved[0] !== undefined) return saved[0]
  const [theirs] = await unwrap(table.select(ADMIN_USER_COLUMNS).eq('id', opened.id))
  throw theirs === undefined
    ? new RequestError({ status: 404, message: 'Este usuário já foi excluído por outra pessoa.' })
    : new ChangedElsewhereError<AdminUser>(theirs)
}

/** The e-mail is the one value here that must be unique; the protocol only says that something was. */
function nameTakenEmail(error: unknown): never {
  if (error instanceof RequestError && error.code === '23505') {
    throw new RequestError({ status: error.status, code: 'email_exists', message: error.message })
  }
  throw error
}

function hasRightLength(password: string): boolean {
  return password === '' || (password.length >= PASSWORD_MIN_LENGTH && password.length <= PASSWORD_MAX_LENGTH)
}
