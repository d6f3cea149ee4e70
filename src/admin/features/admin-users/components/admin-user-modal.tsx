import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { ChangedElsewhereBox } from '#admin/components/changed-elsewhere-box.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { Modal, ModalBody, ModalFooter, ModalForm } from '#admin/components/modal.tsx'
import { notifySuccess } from '#admin/components/notify.ts'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import type { AdminUser } from '#contract/accounts.ts'
import { type AdminUserForm, adminUserFormSchema, useSaveAdminUser } from '../api/save-admin-user.ts'
import { AdminUserFormFields } from './admin-user-form-fields.tsx'

/** `user` is null to add one. */
export function AdminUserModal({ user, onClose }: { user: AdminUser | null; onClose: () => void }) {
  const [opened, setOpened] = useState(user)
  const isSelf = useCurrentUser().id === user?.id
  const form = useForm<AdminUserForm>({
    defaultValues: toForm(user),
    resolver: standardSchemaResolver(adminUserFormSchema({ opened, isSelf })),
  })
  const save = useSaveAdminUser()
  const { theirs } = save
  const submit = (overwrite: boolean) =>
    form.handleSubmit((values) =>
      save.mutate(
        { form: values, opened, overwrite },
        {
          onSuccess: ({ email }) => {
            onClose()
            notifySuccess(user === null ? `Administrador adicionado: ${email}` : `Usuário salvo: ${email}`)
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
    <Modal
      title={user === null ? 'Adicionar Novo Admin' : 'Editar Usuário Admin'}
      width="md"
      dirty={form.formState.isDirty}
      saving={save.isPending}
      onInterrupt={save.interrupt}
      onClose={onClose}
    >
      {(close) => (
        <ModalForm onSubmit={submit(false)}>
          <ModalBody>
            {user?.is_principal ? (
              <MessageBox look="yellow">
                Este é o usuário administrador principal. Email e função não podem ser alterados.
              </MessageBox>
            ) : null}
            {theirs ? (
              <ChangedElsewhereBox
                text="Este usuário foi alterado depois que você abriu o formulário."
                savedAt={theirs.updated_at}
                onReload={() => loadTheirs(theirs)}
                onOverwrite={submit(true)}
              />
            ) : (
              <FailureBox error={save.error} fallback="Erro ao salvar usuário" />
            )}
            <AdminUserFormFields form={form} user={user} isSelf={isSelf} />
          </ModalBody>
          <ModalFooter>
            <Button look="outline" onClick={close}>
              Cancelar
            </Button>
            <Button type="submit" pending={save.isPending}>
              {save.isPending ? 'Salvando...' : 'Salvar'}
            </Button>
          </ModalFooter>
        </ModalForm>
      )}
    </Modal>
  )
}

function toForm(user: AdminUser | null): AdminUserForm {
  return { email: user?.email ?? '', password: '', role: user?.role ?? 'admin', current_password: '' }
}
