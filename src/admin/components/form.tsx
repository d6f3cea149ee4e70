import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import type {
  FieldPath,
  FieldValues,
  RegisterOptions,
  UseFormRegisterReturn,
  UseFormReturn,
} from 'react-hook-form'
import * as z from 'zod/mini'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract/accounts.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'
import { cn } from '../lib/cn.ts'
import { CodeInput, Input, PasswordInput } from './inputs.tsx'

const APP_CODE_RULE = {
  validate: (code: string) =>
    /^\d{3} ?\d{3}$/.test(code.trim()) || 'Digite os 6 dígitos que aparecem no aplicativo.',
}

/** The code of the authenticator app. */
export function AppCodeField<Values extends FieldValues>(props: Bound<Values>) {
  return (
    <FormField {...props} label="Código de 6 dígitos" rules={APP_CODE_RULE}>
      {(control) => <CodeInput data-autofocus {...control} />}
    </FormField>
  )
}

interface ChoiceCardProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'className'> {
  label: string
  /** The effect of the option, in a sentence. */
  meaning: string | undefined
  /** Why it is highlighted. */
  mark?: string | null
  [data: `data-${string}`]: unknown
}

/** A radio button with an explanation of its option. */
export function ChoiceCard({ label, meaning, mark, ...input }: ChoiceCardProps) {
  const id = useId()
  return (
    <label
      className={cn(
        'grid cursor-pointer grid-cols-[auto_1fr] items-start gap-x-3 rounded-1 px-3.5 py-3',
        'has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
        input.checked
          ? 'bg-[#fafaf6] shadow-[inset_0_0_0_2px_var(--ink)]'
          : 'shadow-[inset_0_0_0_1px_var(--line-2)] hover:shadow-[inset_0_0_0_1px_var(--ink)]',
      )}
    >
      <input
        {...input}
        type="radio"
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-means`}
        className="mt-0.5 size-5 accent-ink focus-visible:outline-0"
      />
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2.5 text-[0.9375rem] font-semibold">
          <span id={`${id}-label`}>{label}</span>
          {mark ? (
            <span className="chip rounded-sm bg-accent-3 px-1.5 py-0.5 text-xs text-warn">{mark}</span>
          ) : null}
        </span>
        <span id={`${id}-means`} className="block text-sm text-pretty text-text-2">
          {meaning}
        </span>
      </span>
    </label>
  )
}

export function NewPasswordField<Values extends FieldValues>(props: Bound<Values>) {
  return (
    <FormField
      {...props}
      label="Nova senha"
      hint="Use 8 caracteres ou mais. Dica: junte três ou quatro palavras fáceis de lembrar."
    >
      {(control) => <PasswordInput autoComplete="new-password" required {...control} />}
    </FormField>
  )
}

/** The account. `username` is what password managers look for, even without a password. */
export function EmailField<Values extends FieldValues>(props: Bound<Values>) {
  return (
    <FormField {...props} label="Email">
      {(control) => (
        <Input
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...control}
        />
      )}
    </FormField>
  )
}

interface Bound<Values extends FieldValues> {
  form: UseFormReturn<Values>
  name: FieldPath<Values>
  /** Further rules, for change and blur. */
  rules?: RegisterOptions<Values, FieldPath<Values>>
}

interface FormFieldProps<Values extends FieldValues>
  extends Bound<Values>,
    Omit<FieldProps, 'error' | 'children'> {
  children: (control: ControlProps & UseFormRegisterReturn) => ReactNode
}

/**
 * A field of a form by name: value, label, hint and error are bound to the control.
 *
 * <FormField form={form} name="reason" label="Motivo">{(control) => <Input {...control} />}</FormField>
 */
export function FormField<Values extends FieldValues>(props: FormFieldProps<Values>) {
  const { form, name, rules, children, ...field } = props
  const { error } = form.getFieldState(name, form.formState)
  return (
    <Field {...field} error={error?.message}>
      {(control) => children({ ...control, ...form.register(name, rules) })}
    </Field>
  )
}

interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldProps {
  label: string
  error?: string | undefined
  /** It never blocks saving. */
  hint?: string | null
  className?: string
  children: (control: ControlProps) => ReactNode
}

/** A label, its control, and its messages, bound for assistive technology. */
export function Field({ label, error, hint, className, children }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={cn('grid content-start gap-1.5', className)}>
      <label htmlFor={id} className="text-[0.9375rem] font-semibold">
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': note ? `${id}-note` : undefined,
      })}
      {note ? (
        <p
          id={`${id}-note`}
          role={error ? undefined : 'status'}
          className={cn('text-sm', error ? 'text-bad' : 'text-text-2')}
        >
          {note}
        </p>
      ) : null}
    </div>
  )
}

export const INVALID_EMAIL = 'Digite um e-mail válido.'

export const WRONG_LENGTH = `Use de ${PASSWORD_MIN_LENGTH} a ${PASSWORD_MAX_LENGTH} caracteres.`

/** For an existing account, whose address may be older than today's rules. */
export const knownEmailSchema = z.string().check(z.refine(mayBeKnownEmail, INVALID_EMAIL))

export const newPasswordSchema = z.string().check(z.refine(hasRightLength, WRONG_LENGTH))

export function hasRightLength(password: string): boolean {
  return password.length >= PASSWORD_MIN_LENGTH && password.length <= PASSWORD_MAX_LENGTH
}
