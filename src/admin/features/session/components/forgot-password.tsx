import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { type RecoveryRequest, recoverySchema, useRequestRecovery } from '../api/request-recovery.ts'
import { DoorFrame } from './door-frame.tsx'
import { EmailField } from './email-field.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

interface ForgotPasswordProps {
  /** What was typed at the login. */
  email: string
  onBack: (email: string) => void
}

/** Asks for the recovery mail, and then takes its code from who reads mail on another device. */
export function ForgotPassword({ email, onBack }: ForgotPasswordProps) {
  const [typed, setTyped] = useState(email)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const back = <QuietButton onClick={() => onBack(typed)}>Voltar ao login</QuietButton>
  if (sentTo === null) {
    return (
      <DoorFrame
        title="Esqueci minha senha"
        text="Digite seu e-mail e enviaremos um link para criar uma nova senha."
        footer={back}
      >
        <RequestForm email={email} onSent={setSentTo} onEmail={setTyped} />
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

interface RequestFormProps {
  email: string
  onSent: (email: string) => void
  onEmail: (email: string) => void
}

function RequestForm({ email, onSent, onEmail }: RequestFormProps) {
  const request = useRequestRecovery()
  const { register, handleSubmit, formState, setFocus } = useForm<RecoveryRequest>({
    defaultValues: { email },
    resolver: standardSchemaResolver(recoverySchema),
  })
  useEffect(() => setFocus('email'), [setFocus])
  const submit = handleSubmit((values) =>
    request.mutate(values, { onSuccess: () => onSent(values.email.trim()) }),
  )
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      <FailureBox error={request.error} fallback="Não foi possível enviar o e-mail." />
      <EmailField
        error={formState.errors.email?.message}
        {...register('email', { onChange: (event) => onEmail(event.target.value) })}
      />
      <Button type="submit" disabled={request.isPending} className="mt-1.5 min-h-13 text-base">
        {request.isPending ? 'Enviando...' : 'Enviar link'}
      </Button>
    </form>
  )
}
