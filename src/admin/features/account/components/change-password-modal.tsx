import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Field } from '#admin/components/field.tsx'
import { Modal, ModalBody, ModalFooter, ModalForm } from '#admin/components/modal.tsx'
import { NewPasswordField } from '#admin/components/new-password-field.tsx'
import { notifySuccess } from '#admin/components/notify.ts'
import { PasswordInput } from '#admin/components/password-input.tsx'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import { changePasswordSchema, type PasswordChange, useChangePassword } from '../api/change-password.ts'

export function ChangePasswordModal({ onClose }: { onClose: () => void }) {
  const { email } = useCurrentUser()
  const change = useChangePassword()
  const { register, handleSubmit, formState } = useForm<PasswordChange>({
    defaultValues: { current: '', password: '' },
    resolver: standardSchemaResolver(changePasswordSchema),
  })
  const { errors } = formState
  const submit = handleSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        onClose()
        notifySuccess('Senha trocada')
      },
    }),
  )
  return (
    <Modal
      title="Trocar senha"
      width="md"
      dirty={formState.isDirty}
      saving={change.isPending}
      onClose={onClose}
    >
      {(close) => (
        <ModalForm onSubmit={submit}>
          <ModalBody>
            <FailureBox error={change.error} fallback="Não foi possível trocar a senha." />
            {/* For password managers, which otherwise cannot tell whose password this is. */}
            <input type="text" autoComplete="username" value={email} readOnly hidden />
            <Field label="Senha atual" error={errors.current?.message}>
              {(control) => (
                <PasswordInput
                  autoComplete="current-password"
                  data-autofocus
                  required
                  {...control}
                  {...register('current')}
                />
              )}
            </Field>
            <NewPasswordField error={errors.password?.message} {...register('password')} />
          </ModalBody>
          <ModalFooter>
            <Button look="outline" onClick={close}>
              Cancelar
            </Button>
            <Button type="submit" pending={change.isPending}>
              {change.isPending ? 'Salvando...' : 'Trocar senha'}
            </Button>
          </ModalFooter>
        </ModalForm>
      )}
    </Modal>
  )
}
