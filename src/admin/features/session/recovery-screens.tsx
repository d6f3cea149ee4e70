import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { Button, QuietButton } from '#admin/components/button.tsx'
import { EmailField, FormField, NewPasswordField, newPasswordSchema } from '#admin/components/form.tsx'
import { CodeInput, Input } from '#admin/components/inputs.tsx'
import { FailureBox, MessageBox } from '#admin/components/message.tsx'
import { useServices } from '#admin/lib/services.tsx'
import {
  type MailProof,
  type RecoveryRequest,
  recoverySchema,
  SecondFactorNeeded,
  useFollowLink,
  useRequestRecovery,
  useSetNewPassword,
} from './api.ts'
import { LoginFrame } from './login-frame.tsx'
import type { MailLink } from './session.tsx'

interface ForgotPasswordProps {
  /** What was typed at the login. */
  email: string
  onBack: (email: string) => void
}

const MAILED = {
  ask: 'Digite seu e-mail. Vamos enviar um link e um código para criar uma nova senha.',
  act: 'Enviar e-mail',
  sentTitle: 'Confira seu e-mail',
  sent: (email: string) =>
    `Se houver uma conta com ${email}, você vai receber um link e um código válidos por 1 hora. Abra o link ou digite o código aqui. Confira também a caixa de spam.`,
}

/** Without a mail server the message is in a folder that only the operator can read. */
const KEPT: typeof MAILED = {
  ask: 'Este painel ainda não envia e-mails. Peça a outro usuário que defina uma nova senha para você em Usuários Admin. Se não houver outro, registre o pedido aqui: a equipe de TI encontra o código no servidor.',
  act: 'Registrar pedido',
  sentTitle: 'Peça o código à equipe de TI',
  sent: (email: string) =>
    `Se houver uma conta com ${email}, o link e o código estão salvos no servidor, na pasta outbox, e valem por 1 hora.`,
}

/** Requests the recovery email, then accepts its code from people who read email on another device. */
export function ForgotPassword({ email, onBack }: ForgotPasswordProps) {
  const words = useServices().boot.canMail ? MAILED : KEPT
  const [typed, setTyped] = useState(email)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const back = <QuietButton onClick={() => onBack(typed)}>Voltar ao login</QuietButton>
  if (sentTo === null) {
    return (
      <LoginFrame title="Esqueci minha senha" text={words.ask} footer={back}>
        <RequestForm email={email} act={words.act} onSent={setSentTo} onEmail={setTyped} />
      </LoginFrame>
    )
  }
  return (
    <LoginFrame title={words.sentTitle} text={words.sent(sentTo)} footer={back}>
      <NewPasswordForm email={sentTo} />
    </LoginFrame>
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
  const form = useForm<RecoveryRequest>({
    defaultValues: { email },
    resolver: standardSchemaResolver(recoverySchema),
  })
  const { setFocus } = form
  useEffect(() => setFocus('email'), [setFocus])
  const submit = form.handleSubmit((values) =>
    request.mutate(values, { onSuccess: () => onSent(values.email.trim()) }),
  )
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      <FailureBox error={request.error} fallback="Não foi possível enviar o e-mail." />
      <EmailField form={form} name="email" rules={{ onChange: (event) => onEmail(event.target.value) }} />
      <Button type="submit" pending={request.isPending} className="mt-1.5 min-h-13 text-base">
        {request.isPending ? 'Enviando...' : act}
      </Button>
    </form>
  )
}

const WORDS = {
  magiclink: {
    title: 'Entrar no painel',
    text: 'Confirme que você pediu este link.',
    act: 'Entrar',
  },
  signup: { title: 'Confirmar e-mail', text: 'Confirme que este e-mail é seu.', act: 'Confirmar e entrar' },
  email_change: {
    title: 'Alterar e-mail',
    text: 'O e-mail muda depois que você confirmar nos dois endereços: o atual e o novo.',
    act: 'Confirmar',
  },
}

interface LinkScreenProps {
  link: MailLink
  /** The link is used, or invalid. */
  onDone: (next: 'login' | 'forgot') => void
}

/** The target of an emailed link. Nothing is used up before the person confirms, because programs open links too. */
export function LinkScreen({ link, onDone }: LinkScreenProps) {
  if (link.type === 'broken') return <BrokenLink onDone={onDone} />
  if (link.type === 'recovery' || link.type === 'invite') {
    return (
      <LoginFrame
        title="Crie uma nova senha"
        text="Depois de salvar, você entra direto no painel."
        footer={<StartOver />}
      >
        <NewPasswordForm tokenHash={link.tokenHash} type={link.type} onSaved={() => onDone('login')} />
      </LoginFrame>
    )
  }
  return <ConfirmLink type={link.type} tokenHash={link.tokenHash} onDone={() => onDone('login')} />
}

function BrokenLink({ onDone }: Pick<LinkScreenProps, 'onDone'>) {
  return (
    <LoginFrame
      title="Este link não vale mais"
      text="Ele já foi usado ou passou do prazo de 1 hora. Peça um novo."
      footer={<QuietButton onClick={() => onDone('login')}>Ir para o login</QuietButton>}
    >
      <Button className="min-h-13 text-base" onClick={() => onDone('forgot')}>
        Pedir novo link
      </Button>
    </LoginFrame>
  )
}

/** Reloads the page with the server's current session: the link may have been used by now. */
function StartOver() {
  return <QuietButton onClick={() => location.reload()}>Ir para o login</QuietButton>
}

function ConfirmLink({
  type,
  tokenHash,
  onDone,
}: {
  type: keyof typeof WORDS
  tokenHash: string
  onDone: () => void
}) {
  const follow = useFollowLink()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  const { title, text, act } = WORDS[type]
  const isHalfDone = follow.isSuccess && follow.data === null
  return (
    <LoginFrame title={title} text={text} footer={<StartOver />}>
      <FailureBox error={follow.error} fallback="Não foi possível usar este link. Peça um novo." />
      {isHalfDone ? (
        <MessageBox look="info">
          Este e-mail está confirmado. Agora confirme pelo link que enviamos ao outro.
        </MessageBox>
      ) : (
        <Button
          ref={button}
          className="min-h-13 text-base"
          pending={follow.isPending}
          onClick={() => follow.mutate({ tokenHash, type }, { onSuccess: (session) => session && onDone() })}
        >
          {follow.isPending ? 'Confirmando...' : act}
        </Button>
      )}
    </LoginFrame>
  )
}

function formSchema(asksMailCode: boolean, asksFactor: boolean) {
  return z.object({
    mailCode: z
      .string()
      .check(
        z.refine(
          (code) => !asksMailCode || /^\s*\d{6}\s*$/.test(code),
          'Digite os 6 dígitos que enviamos por e-mail.',
        ),
      ),
    password: newPasswordSchema,
    factorCode: z
      .string()
      .check(z.refine((code) => !asksFactor || code.trim() !== '', 'Digite o código do aplicativo.')),
  })
}

type FormValues = z.infer<ReturnType<typeof formSchema>>

type NewPasswordFormProps = ({ tokenHash: string; type: 'recovery' | 'invite' } | { email: string }) & {
  onSaved?: () => void
}

/** With the link from the email (`tokenHash`), or with the six digits sent to `email`. */
function NewPasswordForm(props: NewPasswordFormProps) {
  const save = useSetNewPassword()
  const asksMailCode = 'email' in props
  const [asksFactor, setAsksFactor] = useState(false)
  const form = useForm<FormValues>({
    defaultValues: { mailCode: '', password: '', factorCode: '' },
    resolver: standardSchemaResolver(formSchema(asksMailCode, asksFactor)),
  })
  const { setFocus } = form
  useEffect(() => setFocus(asksMailCode ? 'mailCode' : 'password'), [asksMailCode, setFocus])
  useEffect(() => {
    if (asksFactor) setFocus('factorCode')
  }, [asksFactor, setFocus])
  const submit = form.handleSubmit(({ mailCode, password, factorCode }) =>
    save.mutate(
      { proof: toProof(props, mailCode), password, code: factorCode.trim() },
      {
        onSuccess: () => props.onSaved?.(),
        onError: (error) => setAsksFactor(asksFactor || error instanceof SecondFactorNeeded),
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      {save.error instanceof SecondFactorNeeded ? null : (
        <FailureBox error={save.error} fallback="Não foi possível salvar a nova senha." />
      )}
      {asksMailCode ? (
        <FormField form={form} name="mailCode" label="Código enviado por e-mail">
          {(control) => <CodeInput {...control} />}
        </FormField>
      ) : null}
      <NewPasswordField form={form} name="password" />
      {asksFactor ? (
        <FormField
          form={form}
          name="factorCode"
          label="Código do aplicativo"
          hint="Sua conta usa verificação em duas etapas. Sem o celular? Use um código de recuperação."
        >
          {(control) => (
            <Input autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} {...control} />
          )}
        </FormField>
      ) : null}
      <Button type="submit" pending={save.isPending} className="mt-1.5 min-h-13 text-base">
        {save.isPending ? 'Salvando...' : 'Salvar e entrar'}
      </Button>
    </form>
  )
}

function toProof(props: NewPasswordFormProps, code: string): MailProof {
  return 'email' in props ? { email: props.email, code } : props
}
