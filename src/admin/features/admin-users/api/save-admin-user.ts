import * as z from 'zod/mini'
import type { Data } from '#admin/lib/clients.ts'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import { hasRightLength, INVALID_EMAIL, WRONG_LENGTH } from '#admin/lib/form-rules.ts'
import { RequestError } from '#admin/lib/request-error.ts'
import { useServices } from '#admin/lib/services.tsx'
import { storeRow } from '#admin/lib/store-row.ts'
import { unwrap } from '#admin/lib/unwrap.ts'
import { useSaveRow } from '#admin/lib/use-save-row.ts'
import type { AdminUser } from '#contract/accounts.ts'
import { isEmail, normalizeEmail } from '#contract/email.ts'
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
  overwrite: boolean
}

export function useSaveAdminUser() {
  const { auth, data } = useServices()
  const me = useCurrentUser()
  return useSaveRow({
    listKey: ADMIN_USERS_KEY,
    save: (input: SaveAdminUser, signal) => saveAdminUser(data, input, signal).catch(nameTakenEmail),
    // The session carries a copy of who I am.
    onSaved: async ({ id }) => (id === me.id ? auth.refreshSession() : undefined),
  })
}

async function saveAdminUser(
  data: Data,
  { form, opened, overwrite }: SaveAdminUser,
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
    unchangedSince: overwrite ? null : opened.updated_at,
    update: (since) => {
      const update = table.update({ ...change, ...proof }).eq('id', opened.id)
      return (since === null ? update : update.eq('updated_at', since))
        .select(ADMIN_USER_COLUMNS)
        .abortSignal(signal)
    },
    read: () => table.select(ADMIN_USER_COLUMNS).eq('id', opened.id).abortSignal(signal),
    gone: 'Este usuário já foi excluído por outra pessoa.',
  })
}

/** The e-mail is the one value here that must be unique; the protocol only says that something was. */
function nameTakenEmail(error: unknown): never {
  if (error instanceof RequestError && error.code === '23505') {
    throw new RequestError({ status: error.status, code: 'email_exists', message: error.message })
  }
  throw error
}
