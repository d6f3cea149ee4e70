import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { FormField } from '#admin/components/form.tsx'
import { Input, PasswordInput, Select } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { FormModal } from '#admin/components/modal.tsx'
import { notifySuccess } from '#admin/components/toast.tsx'
import { useCurrentUser } from '#admin/lib/services.tsx'
import { ADMIN_ROLES, type AdminUser, roleLabel } from '#contract/accounts.ts'
import { type AdminUserForm, adminUserFormSchema, useSaveAdminUser } from './api.ts'

/** `user` is null for a new one. */
export function AdminUserModal({ user, onClose }: { user: AdminUser | null; onClose: () => void }) {
  const [opened, setOpened] = useState(user)
  const isSelf = useCurrentUser().id === user?.id
  const form = useForm<AdminUserForm>({
    defaultValues: toForm(user),
    resolver: standardSchemaResolver(adminUserFormSchema({ opened, isSelf })),
  })
  const save = useSaveAdminUser()
  const { theirs } = save
  const submit = (replaced: AdminUser | null) =>
    form.handleSubmit((values) =>
      save.mutate(
        { form: values, opened, replaced },
        {
          onSuccess: ({ email }) => {
            onClose()
            notifySuccess(user === null ? `Usuário adicionado: ${email}` : `Usuário salvo: ${email}`)
          },
        },
      ),
    )
  const loadTheirs = (saved: AdminUser) => {
    form.reset(toForm(saved))
    setOpened(saved)
    save.reset()
  }

  return (
    <FormModal
      title={user === null ? 'Adicionar Novo Admin' : 'Editar Usuário Admin'}
      width="md"
      dirty={form.formState.isDirty}
      action={save}
      failure="Erro ao salvar usuário"
      conflict={
        theirs && {
          text: 'Este usuário foi alterado depois que você abriu o formulário.',
          savedAt: theirs.updated_at,
          onReload: () => loadTheirs(theirs),
          onOverwrite: submit(theirs),
        }
      }
      submit="Salvar"
      onSubmit={submit(null)}
      onClose={onClose}
    >
      {user?.is_principal ? (
        <MessageBox look="yellow">
          Este é o usuário administrador principal. Email e função não podem ser alterados.
        </MessageBox>
      ) : null}
      <AdminUserFormFields form={form} user={user} isSelf={isSelf} />
    </FormModal>
  )
}

function toForm(user: AdminUser | null): AdminUserForm {
  return { email: user?.email ?? '', password: '', role: user?.role ?? 'admin', current_password: '' }
}

interface AdminUserFormFieldsProps {
  form: UseFormReturn<AdminUserForm>
  user: AdminUser | null
  /** Own accounts require the password: an open tab is not enough to take one over. */
  isSelf: boolean
}

function AdminUserFormFields({ form, user, isSelf }: AdminUserFormFieldsProps) {
  const locked = user?.is_principal ?? false
  // An unknown role stays until another is chosen.
  const roles = user === null || isKnown(user.role) ? ADMIN_ROLES : [user.role, ...ADMIN_ROLES]
  return (
    <>
      <FormField form={form} name="email" label="Email">
        {(control) => (
          <Input
            type="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            disabled={locked}
            {...control}
          />
        )}
      </FormField>
      <FormField
        form={form}
        name="password"
        label={user === null ? 'Senha' : 'Nova Senha (deixe em branco para manter)'}
      >
        {(control) => <PasswordInput autoComplete="new-password" required={user === null} {...control} />}
      </FormField>
      <FormField form={form} name="role" label="Função">
        {(control) => (
          <Select
            options={roles.map((role) => [role, roleLabel(role)] as const)}
            disabled={locked}
            {...control}
          />
        )}
      </FormField>
      {isSelf ? (
        <FormField form={form} name="current_password" label="Sua senha atual">
          {(control) => <PasswordInput autoComplete="current-password" {...control} />}
        </FormField>
      ) : null}
    </>
  )
}

function isKnown(role: string): boolean {
  return (ADMIN_ROLES as readonly string[]).includes(role)
}
