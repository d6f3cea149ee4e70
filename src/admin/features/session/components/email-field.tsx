import type { ComponentProps } from 'react'
import { CONTROL, Field } from '#admin/components/field.tsx'

interface EmailFieldProps extends ComponentProps<'input'> {
  error: string | undefined
}

/** Who signs in. `username` is what password managers look for, also where no password is asked. */
export function EmailField({ error, ...input }: EmailFieldProps) {
  return (
    <Field label="Email" error={error}>
      {(control) => (
        <input
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          className={CONTROL}
          {...control}
          {...input}
        />
      )}
    </Field>
  )
}
