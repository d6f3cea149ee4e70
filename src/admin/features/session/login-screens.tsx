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
      title="Confirme que é você"
      text={`A conta ${email} usa verificação em duas etapas.`}
      footer={<QuietButton onClick={() => signOut()}>Entrar com outra conta</QuietButton>}
    >
      <CodeForm factors={factors} />
    </LoginFrame>
  )
}

/** `forgot` opens it at the request for a recovery email. */
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
          Este endereço não é seguro (sem https), e o login não vai funcionar. Abra o painel pelo endereço que
          começa com https://.
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
        {signIn.isPending ? 'Aguardando o dispositivo...' : 'Entrar com chave de acesso'}
      </Button>
      <FailureBox error={signIn.error} fallback="Não foi possível entrar com a chave de acesso." />
    </div>
  )
}

interface SessionEndedDialogProps {
  email: string
  /** The second factors that are still required. */
  factors: SecondFactor[]
}

/** The login over the page: what was being typed stays underneath. */
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
          <Dialog.Title className="text-center text-2xl">
            {factors.length > 0 ? 'Confirme que é você' : 'Sua sessão expirou'}
          </Dialog.Title>
          <Dialog.Description className="mx-auto mt-1.5 mb-6 max-w-[22em] text-center text-balance text-text-2">
            {factors.length > 0 ? 'Use a verificação em duas etapas.' : 'Entre novamente para continuar.'} O
            que você digitou continua aqui.
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

/** The second step of the login: the app's six digits, a security key, or a recovery code. */
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
      <FailureBox error={show.error} fallback="Não foi possível verificar o código." />
      {apps.length > 1 && !onPaper ? (
        <FormField form={form} name="factorId" label="Aplicativo autenticador">
          {(control) => <Select options={apps.map(({ id, name }) => [id, name] as const)} {...control} />}
        </FormField>
      ) : null}
      {onPaper ? (
        <FormField
          form={form}
          name="recoveryCode"
          rules={{ required: 'Digite um código de recuperação.' }}
          label="Código de recuperação"
          hint="Cada código vale uma única vez."
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
          {show.isPending ? 'Verificando...' : 'Confirmar'}
        </Button>
      ) : null}
      {key && !onPaper ? (
        <Button
          look={isTyped ? 'outline' : 'solid'}
          className="min-h-13 text-base"
          pending={show.isPending}
          onClick={() => show.mutate({ keyFactorId: key.id })}
        >
          {show.isPending ? 'Aguardando o dispositivo...' : 'Usar chave de acesso'}
        </Button>
      ) : null}
      <QuietButton className="-mt-2" onClick={swap}>
        {onPaper ? (apps.length > 0 ? 'Usar o aplicativo' : 'Voltar') : 'Usar código de recuperação'}
      </QuietButton>
    </form>
  )
}

interface LoginFormProps {
  email?: string
  /** Called with what is typed. */
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
