import type { ComponentProps } from 'react'
import { CodeInput } from './code-input.tsx'
import { Field } from './field.tsx'

/** For the form's `register`. */
export const APP_CODE_RULE = {
  validate: (code: string) => /^\d{3} ?\d{3}$/.test(code.trim()) || 'Digite os 6 dígitos do aplicativo.',
}

interface AppCodeFieldProps extends ComponentProps<typeof CodeInput> {
  error: string | undefined
}

/** The code that the authenticator shows. */
export function AppCodeField({ error, ...input }: AppCodeFieldProps) {
  return (
    <Field label="Código de 6 dígitos" error={error}>
      {(control) => <CodeInput data-autofocus {...control} {...input} />}
    </Field>
  )
}
