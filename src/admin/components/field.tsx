import { type ReactNode, useId } from 'react'

export const CONTROL =
  'min-h-12 w-full rounded-1 border-[1.5px] border-line-2 bg-surface px-3.5 transition-shadow hover:border-ink focus:border-ink focus:shadow-[0_0_0_4px_var(--accent)] focus:outline-0 disabled:cursor-not-allowed disabled:border-line disabled:bg-paper disabled:text-text-2 disabled:opacity-100 aria-invalid:border-bad'

interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldProps {
  label: string
  error?: string | undefined
  /** Gentle: it never keeps anyone from saving. */
  hint?: string | null
  className?: string
  children: (control: ControlProps) => ReactNode
}

/** A label, its control, and what is to be said about it, tied together for every reader. */
export function Field({ label, error, hint, className = '', children }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={`grid content-start gap-1.5 ${className}`}>
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
          className={`text-sm ${error ? 'text-bad' : 'text-text-2'}`}
        >
          {note}
        </p>
      ) : null}
    </div>
  )
}
