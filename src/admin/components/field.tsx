import { type ReactNode, useId } from 'react'
import { cn } from '../lib/cn.ts'

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
