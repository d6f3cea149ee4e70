import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import * as Dialog from '@radix-ui/react-dialog'
import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button, QuietButton } from '#admin/components/button.tsx'
import { AppCodeField, EmailField, FormField } from '#admin/components/form.tsx'
import { Input, PasswordInput, Select } from '#admin/components/inputs.tsx'
import { FailureBox, MessageBox } from '#admin/components/message.tsx'
import { OVERLAY, SHEET, useReturnFocus } from '#admin/components/modal.tsx'
import { BrandMark } from '#admin/components/text.tsx'
import { canUsePasskeys } from '#admin/lib/auth-client.ts'
import { useServices } from '#admin/lib/services.tsx'
import { SESSION_ENDED } from '#contract/error-messages.ts'
import {
  type Credentials,
  credentialsSchema,
  useCompleteSignIn,
  useSignIn,
  useSignInWithPasskey,
} from './api.ts'
import { LoginFrame } from './login-frame.tsx'
import { ForgotPassword } from './recovery-screens.tsx'
import { type SecondFactor, useSignOut } from './session.tsx'

export function CodeScreen({ email, factors }: { email: string; factors: SecondFactor[] }) {
  const signOut = useSignOut()
  return (
    <LoginFrame
      title="Falta um passo"
      text={`A conta ${email} pede uma segunda confirmação.`}
      footer={<QuietButton onClick={() => signOut()}>Entrar com outra conta</QuietButton>}
    >
      <CodeForm factors={factors} />
    </LoginFrame>
  )
}

/** `forgot` opens it where a new recovery mail is asked for. */
export function LoginScreen({ notice, forgot = false }: { notice: string | null; forgot?: boolean }) {
  const { boot } = useServices()
  const [forgotten, setForgotten] = useState(forgot)
  const [email, setEmail] = useState('')
  if (forgotten) {
    const back = (typed: string) => {
      setEmail(typed)
      setForgotten(false)
    }
    return <ForgotPassword email={email} onBack={back} />
  }
  return (
    <LoginFrame
      title="Admin Dashboard"
      text="Faça login para acessar o painel administrativo"
      footer={
        <a href={boot.siteUrl} className="quiet-link">
          Voltar ao site
        </a>
      }
    >
      {notice ? (
        <MessageBox look="bad" urgent>
          {notice}
        </MessageBox>
      ) : null}
      {boot.secureContext ? null : (
        <MessageBox look="warn">
          Este endereço não usa https, e sem ele o navegador não guarda o login. Abra o painel por https.
        </MessageBox>
      )}
      <LoginForm email={email} onEmail={setEmail} />
      {boot.secureContext && canUsePasskeys() ? <PasskeyButton /> : null}
      <QuietButton className="-mt-2" onClick={() => setForgotten(true)}>
        Esqueci minha senha
      </QuietButton>
    </LoginFrame>
  )
}

function PasskeyButton() {
  const signIn = useSignInWithPasskey()
  return (
    <div className="-mt-1 grid gap-4.5">
      <Button
        look="outline"
        className="min-h-13 text-base"
        pending={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        <KeyRound aria-hidden="true" className="size-5 max-sm:hidden" />
        {signIn.isPending ? 'Aguardando a chave...' : 'Entrar com chave de acesso'}
      </Button>
      <FailureBox error={signIn.error} fallback="Não foi possível entrar com a chave de acesso." />
    </div>
  )
}

interface SessionEndedDialogProps {
  email: string
  /** What is still owed after the password. */
  factors: SecondFactor[]
}

/** The login over the page: whatever was being typed waits underneath. */
export function SessionEndedDialog({ email, factors }: SessionEndedDialogProps) {
  const signOut = useSignOut()
  const focus = useReturnFocus()
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className={`${OVERLAY} z-30`} />
        <Dialog.Content
          {...focus}
          onEscapeKeyDown={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className={`${SHEET} z-30 overflow-y-auto p-7 pt-9 sm:max-w-[26.25rem]`}
        >
          <BrandMark className="mx-auto mb-5 w-[33px]" />
          <Dialog.Title className="text-center text-2xl">Entre de novo</Dialog.Title>
          <Dialog.Description className="mx-auto mt-1.5 mb-6 max-w-[22em] text-center text-balance text-text-2">
            {factors.length > 0 ? 'Falta a segunda confirmação.' : SESSION_ENDED} O que você estava fazendo
            continua aqui.
          </Dialog.Description>
          {factors.length > 0 ? <CodeForm factors={factors} /> : <LoginForm email={email} />}
          <QuietButton className="mt-3" onClick={() => signOut()}>
            Sair sem salvar
          </QuietButton>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The second step of the login: the app's six digits, the device's key, or a code that was kept on paper. */
function CodeForm({ factors }: { factors: SecondFactor[] }) {
  const show = useCompleteSignIn()
  const apps = factors.filter(({ kind }) => kind === 'app')
  const key = factors.find(({ kind }) => kind === 'key')
  const [onPaper, setOnPaper] = useState(false)
  const form = useForm({
    defaultValues: { factorId: apps[0]?.id ?? '', code: '', recoveryCode: '' },
  })
  const { setFocus } = form
  const field = onPaper ? 'recoveryCode' : 'code'
  const isTyped = onPaper || apps.length > 0
  useEffect(() => {
    if (isTyped) setFocus(field)
  }, [isTyped, field, setFocus])
  const submit = form.handleSubmit(({ factorId, code, recoveryCode }) =>
    show.mutate(onPaper ? { recoveryCode } : { factorId, code }, {
      onError: () => form.setFocus(field, { shouldSelect: true }),
    }),
  )
  const swap = () => {
    setOnPaper(!onPaper)
    show.reset()
    form.reset()
  }
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      <FailureBox error={show.error} fallback="Não foi possível conferir o código." />
      {apps.length > 1 && !onPaper ? (
        <FormField form={form} name="factorId" label="Aplicativo">
          {(control) => <Select options={apps.map(({ id, name }) => [id, name] as const)} {...control} />}
        </FormField>
      ) : null}
      {onPaper ? (
        <FormField
          form={form}
          name="recoveryCode"
          rules={{ required: 'Digite um código de recuperação.' }}
          label="Código de recuperação"
          hint="Cada código serve uma única vez."
        >
          {(control) => (
            <Input
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="xxxxx-xxxxx"
              {...control}
            />
          )}
        </FormField>
      ) : isTyped ? (
        <AppCodeField form={form} name="code" />
      ) : null}
      {isTyped ? (
        <Button type="submit" pending={show.isPending} className="mt-1.5 min-h-13 text-base">
          {show.isPending ? 'Conferindo...' : 'Confirmar'}
        </Button>
      ) : null}
      {key && !onPaper ? (
        <Button
          look={isTyped ? 'outline' : 'solid'}
          className="min-h-13 text-base"
          pending={show.isPending}
          onClick={() => show.mutate({ keyFactorId: key.id })}
        >
          {show.isPending ? 'Conferindo...' : 'Usar a chave de acesso'}
        </Button>
      ) : null}
      <QuietButton className="-mt-2" onClick={swap}>
        {onPaper ? (apps.length > 0 ? 'Usar o aplicativo' : 'Voltar') : 'Usar um código de recuperação'}
      </QuietButton>
    </form>
  )
}

interface LoginFormProps {
  email?: string
  /** Hears what is typed. */
  onEmail?: (email: string) => void
}

function LoginForm({ email = '', onEmail }: LoginFormProps) {
  const signIn = useSignIn()
  const form = useForm<Credentials>({
    defaultValues: { email, password: '' },
    resolver: standardSchemaResolver(credentialsSchema),
  })
  const submit = form.handleSubmit((credentials) =>
    signIn.mutate(credentials, { onError: () => form.setFocus('password', { shouldSelect: true }) }),
  )
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      <FailureBox error={signIn.error} fallback="Erro ao fazer login" />
      <EmailField form={form} name="email" rules={{ onChange: (event) => onEmail?.(event.target.value) }} />
      <FormField form={form} name="password" label="Senha">
        {(control) => (
          <PasswordInput
            autoComplete="current-password"
            required
            data-autofocus={email === '' ? undefined : true}
            {...control}
          />
        )}
      </FormField>
      <Button type="submit" pending={signIn.isPending} className="mt-1.5 min-h-13 text-base">
        {signIn.isPending ? 'Entrando...' : 'Entrar'}
      </Button>
    </form>
  )
}
