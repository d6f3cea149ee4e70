import type { ComponentProps } from 'react'
import { Input } from './input.tsx'

/** Six digits, offered by the phone's keyboard when they have just arrived. */
export function CodeInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  return (
    <Input
      {...props}
      type="text"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={7}
      placeholder="000000"
      className="text-center text-2xl tracking-[0.3em] tabular-nums"
    />
  )
}
