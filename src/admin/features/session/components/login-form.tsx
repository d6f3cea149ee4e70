import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Field } from '#admin/components/field.tsx'
import { PasswordInput } from '#admin/components/password-input.tsx'
import { type Credentials, credentialsSchema, useSignIn } from '../api/sign-in.ts'
import { EmailField } from './email-field.tsx'

interface LoginFormProps {
  email?: string
  /** Hears what is typed. */
  onEmail?: (email: string) => void
}

export function LoginForm({ email = '', onEmail }: LoginFormProps) {
  const signIn = useSignIn()
  const { register, handleSubmit, formState, setFocus } = useForm<Credentials>({
    defaultValues: { email, password: '' },
    resolver: standardSchemaResolver(credentialsSchema),
  })
  const { errors } = formState
  const submit = handleSubmit((credentials) =>
    signIn.mutate(credentials, { onError: () => setFocus('password', { shouldSelect: true }) }),
  )
  return (
    <form onSubmit={submit} noValidate className="grid gap-4.5">
      <FailureBox error={signIn.error} fallback="Erro ao fazer login" />
      <EmailField
        error={errors.email?.message}
        {...register('email', { onChange: (event) => onEmail?.(event.target.value) })}
      />
      <Field label="Senha" error={errors.password?.message}>
        {(control) => (
          <PasswordInput
            autoComplete="current-password"
            required
            data-autofocus={email === '' ? undefined : true}
            {...control}
            {...register('password')}
          />
        )}
      </Field>
      <Button type="submit" pending={signIn.isPending} className="mt-1.5 min-h-13 text-base">
        {signIn.isPending ? 'Entrando...' : 'Entrar'}
      </Button>
    </form>
  )
}
