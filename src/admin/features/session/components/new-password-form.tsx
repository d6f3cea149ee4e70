import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { Button } from '#admin/components/button.tsx'
import { CodeInput } from '#admin/components/code-input.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'
import { NewPasswordField } from '#admin/components/new-password-field.tsx'
import { newPasswordSchema } from '#admin/lib/form-rules.ts'
import type { MailProof } from '../api/redeem-mail.ts'
import { SecondFactorNeeded, useSetNewPassword } from '../api/set-new-password.ts'

function formSchema(asksMailCode: boolean, asksFactor: boolean) {
  return z.object({
    mailCode: z
      .string()
      .check(
        z.refine((code) => !asksMailCode || /^\s*\d{6}\s*$/.test(code), 'Digite os 6 dígitos do e-mail.'),
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

/** With the link from the mail (`tokenHash`), or with the six digits that came to `email`. */
export function NewPasswordForm(props: NewPasswordFormProps) {
  const save = useSetNewPassword()
  const asksMailCode = 'email' in props
  const [asksFactor, setAsksFactor] = useState(false)
  const { register, handleSubmit, formState, setFocus } = useForm<FormValues>({
    defaultValues: { mailCode: '', password: '', factorCode: '' },
    resolver: standardSchemaResolver(formSchema(asksMailCode, asksFactor)),
  })
  const { errors } = formState
  useEffect(() => setFocus(asksMailCode ? 'mailCode' : 'password'), [asksMailCode, setFocus])
  useEffect(() => {
    if (asksFactor) setFocus('factorCode')
  }, [asksFactor, setFocus])
  const submit = handleSubmit(({ mailCode, password, factorCode }) =>
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
        <Field label="Código do e-mail" error={errors.mailCode?.message}>
          {(control) => <CodeInput {...control} {...register('mailCode')} />}
        </Field>
      ) : null}
      <NewPasswordField error={errors.password?.message} {...register('password')} />
      {asksFactor ? (
        <Field
          label="Código do aplicativo"
          error={errors.factorCode?.message}
          hint="Sua conta tem verificação em duas etapas. Sem o celular, digite um código de recuperação."
        >
          {(control) => (
            <Input
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              {...control}
              {...register('factorCode')}
            />
          )}
        </Field>
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
