import type { ComponentProps } from 'react'
import { cn } from '../lib/cn.ts'

interface SelectProps extends Omit<ComponentProps<'select'>, 'children'> {
  /** Value and label, in their order. */
  options: readonly (readonly [value: string, label: string])[]
  /** For a place among buttons, rather than in a form. */
  small?: boolean
}

/** The platform's own, with an arrow that is ours. */
export function Select({ options, small = false, className, ...props }: SelectProps) {
  return (
    <select className={cn('control select', small && 'select-small', className)} {...props}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
