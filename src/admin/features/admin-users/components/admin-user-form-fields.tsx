import type { UseFormReturn } from 'react-hook-form'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { PasswordInput } from '#admin/components/password-input.tsx'
import { Select } from '#admin/components/select.tsx'
import { ADMIN_ROLES, type AdminUser, roleLabel } from '#contract/accounts.ts'
import type { AdminUserForm } from '../api/save-admin-user.ts'

interface AdminUserFormFieldsProps {
  form: UseFormReturn<AdminUserForm>
  user: AdminUser | null
  /** Whose own account it is proves it: an open tab is not enough to take it over. */
  isSelf: boolean
}

export function AdminUserFormFields({ form, user, isSelf }: AdminUserFormFieldsProps) {
  const { register, formState } = form
  const { errors } = formState
  const locked = user?.is_principal ?? false
  // A role that these screens do not know stays what it is until somebody chooses another.
  const roles = user === null || isKnown(user.role) ? ADMIN_ROLES : [user.role, ...ADMIN_ROLES]
  return (
    <>
      <Field label="Email" error={errors.email?.message}>
        {(control) => (
          <Input
            type="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            disabled={locked}
            {...control}
            {...register('email')}
          />
        )}
      </Field>
      <Field
        label={user === null ? 'Senha' : 'Nova Senha (deixe em branco para manter)'}
        error={errors.password?.message}
      >
        {(control) => (
          <PasswordInput
            autoComplete="new-password"
            required={user === null}
            {...control}
            {...register('password')}
          />
        )}
      </Field>
      <Field label="Função">
        {(control) => (
          <Select
            options={roles.map((role) => [role, roleLabel(role)] as const)}
            disabled={locked}
            {...control}
            {...register('role')}
          />
        )}
      </Field>
      {isSelf ? (
        <Field label="Sua senha atual" error={errors.current_password?.message}>
          {(control) => (
            <PasswordInput autoComplete="current-password" {...control} {...register('current_password')} />
          )}
        </Field>
      ) : null}
    </>
  )
}

function isKnown(role: string): boolean {
  return (ADMIN_ROLES as readonly string[]).includes(role)
}
