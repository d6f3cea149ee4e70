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
}

export function Button({ look = 'solid', type = 'button', className, ...props }: ButtonProps) {
  return <button type={type} className={cn('button', LOOKS[look], className)} {...props} />
}
