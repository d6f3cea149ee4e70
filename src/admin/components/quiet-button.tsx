import type { ComponentProps } from 'react'
import { cn } from '../lib/cn.ts'

/** A button that looks like a link: the other way to go, beside the main one. */
export function QuietButton({ className, ...props }: ComponentProps<'button'>) {
  return <button type="button" className={cn('quiet-link', className)} {...props} />
}
