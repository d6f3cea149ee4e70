import type { ComponentProps } from 'react'
import { cn } from '../lib/cn.ts'

interface IconButtonProps extends ComponentProps<'button'> {
  /** Spoken, and shown on hover. */
  label: string
  danger?: boolean
}

export function IconButton({ label, danger = false, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={cn('icon-button', danger && 'icon-button-danger', className)}
      {...props}
    />
  )
}
