import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { type RecoveryRequest, recoverySchema, useRequestRecovery } from '../api/request-recovery.ts'
import { DoorFrame, QUIET_LINK } from './door-frame.tsx'
import { EmailField } from './email-field.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

/** Asks for the recovery mail, and then takes its code from who reads mail on another device. */
export function ForgotPassword({ onBack }: { onBack: () => void }) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const back = (
    <button type="button" className={QUIET_LINK} onClick={onBack}>
      Voltar ao login
    </button>
  )
  if (sentTo === null) {
    return (
      <DoorFrame
        title="Esqueci minha senha"
        text="Digite seu e-mail e enviaremos um link para criar uma nova senha."
        footer={back}
      >
        <RequestForm onSent={setSentTo} />
      </DoorFrame>
    )
  }
  return (
    <DoorFrame
      title="Confira seu e-mail"
      text={`Se houver uma conta com ${sentTo}, o link chega em instantes e vale por uma hora. Veja também a caixa de spam.`}
      footer={back}
    >
      <NewPasswordForm email={sentTo} />
    </DoorFrame>
  )
}

function RequestForm({ onSent }: { onSent: (email: string) => void }) {
  const request = useRequestRecovery()
  const { register, handleSubmit, formState, setFocus } = useForm<RecoveryRequest>({
    defaultValues: { email: '' },
    resolver: standardSchemaResolver(recoverySchema),
  })
  useEffect(() => setFocus('email'), [setFocus])
  const submit = handleSubmit((values) =>
    request.mutate(values, { onSuccess: () => onSent(values.email.trim()) }),
  )
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      <FailureBox error={request.error} fallback="Não foi possível enviar o e-mail." />
      <EmailField error={formState.errors.email?.message} {...register('email')} />
      <Button type="submit" disabled={request.isPending} className="mt-1.5 min-h-13 text-base">
        {request.isPending ? 'Enviando...' : 'Enviar link'}
      </Button>
    </form>
  )
}
