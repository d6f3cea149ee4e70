import type { ComponentProps } from 'react'
import { cn } from '../lib/cn.ts'

const LOOKS = {
  solid: 'button-solid',
  outline: 'button-outline',
  danger: 'button-danger',
  onInk: 'button-on-ink',
} as const

export interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof LOOKS
  /** What it started is under way: a click, or Enter in its form, does nothing, and the focus stays on it. */
  pending?: boolean
}

export function Button({ look = 'solid', type = 'button', pending = false, ...props }: ButtonProps) {
  const { className, onClick, ...rest } = props
  return (
    <button
      type={type}
      className={cn('button', LOOKS[look], className)}
      {...rest}
      {...(pending ? { 'aria-disabled': true } : {})}
      onClick={pending ? (event) => event.preventDefault() : onClick}
    />
  )
}
