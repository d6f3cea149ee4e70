import type { ComponentProps } from 'react'
import { Field } from './field.tsx'
import { PasswordInput } from './password-input.tsx'

interface NewPasswordFieldProps extends ComponentProps<typeof PasswordInput> {
  error: string | undefined
}

export function NewPasswordField({ error, ...input }: NewPasswordFieldProps) {
  return (
    <Field
      label="Nova senha"
      error={error}
      hint="No mínimo 8 caracteres. Três ou quatro palavras juntas são fáceis de lembrar."
    >
      {(control) => <PasswordInput autoComplete="new-password" required {...control} {...input} />}
    </Field>
  )
}
