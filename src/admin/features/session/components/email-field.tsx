import type { ComponentProps } from 'react'
import { Field } from '#admin/components/field.tsx'
import { Input } from '#admin/components/input.tsx'

interface EmailFieldProps extends ComponentProps<'input'> {
  error: string | undefined
}

/** Who signs in. `username` is what password managers look for, also where no password is asked. */
export function EmailField({ error, ...input }: EmailFieldProps) {
  return (
    <Field label="Email" error={error}>
      {(control) => (
        <Input
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...control}
          {...input}
        />
      )}
    </Field>
  )
}
