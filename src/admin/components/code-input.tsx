import type { ComponentProps } from 'react'
import { CONTROL } from './field.tsx'

/** Six digits, offered by the phone's keyboard when they have just arrived. */
export function CodeInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  return (
    <input
      {...props}
      type="text"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={7}
      placeholder="000000"
      className={`${CONTROL} text-center text-2xl tracking-[0.3em] tabular-nums`}
    />
  )
}
