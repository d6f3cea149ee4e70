import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { QuietButton } from '#admin/components/quiet-button.tsx'
import { useServices } from '#admin/lib/services.tsx'
import { type RecoveryRequest, recoverySchema, useRequestRecovery } from '../api/request-recovery.ts'
import { DoorFrame } from './door-frame.tsx'
import { EmailField } from './email-field.tsx'
import { NewPasswordForm } from './new-password-form.tsx'

interface ForgotPasswordProps {
  /** What was typed at the login. */
  email: string
  onBack: (email: string) => void
}

const MAILED = {
  ask: 'Digite seu e-mail. Enviaremos um link e um código para criar uma nova senha.',
  act: 'Enviar e-mail',
  sentTitle: 'Confira seu e-mail',
  sent: (email: string) =>
    `Se houver uma conta com ${email}, o e-mail chega em instantes e vale por 1 hora. Abra o link que está nele ou digite o código aqui. Veja também a caixa de spam.`,
}
/** Without a mail server the message waits in a folder, where only who runs the server finds it. */
const KEPT: typeof MAILED = {
  ask: 'Este painel ainda não envia e-mails. Peça a outro usuário que defina uma nova senha para você em Usuários Admin. Se não houver outro, registre o pedido aqui: a equipe de TI encontra o código no servidor.',
  act: 'Registrar pedido',
  sentTitle: 'Peça o código à equipe de TI',
  sent: (email: string) =>
    `Se houver uma conta com ${email}, o link e o código estão salvos no servidor, na pasta outbox, e valem por 1 hora.`,
}

/** Asks for the recovery mail, and then takes its code from who reads mail on another device. */
export function ForgotPassword({ email, onBack }: ForgotPasswordProps) {
  const words = useServices().boot.canMail ? MAILED : KEPT
  const [typed, setTyped] = useState(email)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const back = <QuietButton onClick={() => onBack(typed)}>Voltar ao login</QuietButton>
  if (sentTo === null) {
    return (
      <DoorFrame title="Esqueci minha senha" text={words.ask} footer={back}>
        <RequestForm email={email} act={words.act} onSent={setSentTo} onEmail={setTyped} />
      </DoorFrame>
    )
  }
  return (
    <DoorFrame title={words.sentTitle} text={words.sent(sentTo)} footer={back}>
      <NewPasswordForm email={sentTo} />
    </DoorFrame>
  )
}

interface RequestFormProps {
  email: string
  act: string
  onSent: (email: string) => void
  onEmail: (email: string) => void
}

function RequestForm({ email, act, onSent, onEmail }: RequestFormProps) {
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
      <Button type="submit" pending={request.isPending} className="mt-1.5 min-h-13 text-base">
        {request.isPending ? 'Enviando...' : act}
      </Button>
    </form>
  )
}
