import type { ComponentProps } from 'react'

export function Card({ className = '', ...props }: ComponentProps<'div'>) {
  return (
    <div
      className={`overflow-hidden rounded-2xl bg-surface shadow-[0_0_0_1px_var(--line)] ${className}`}
      {...props}
    />
  )
}
