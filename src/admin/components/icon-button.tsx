import type { ComponentProps } from 'react'

interface IconButtonProps extends ComponentProps<'button'> {
  /** Spoken, and shown on hover. */
  label: string
  danger?: boolean
}

export function IconButton({ label, danger = false, className = '', ...props }: IconButtonProps) {
  const hover = danger ? 'hover:bg-bad-bg hover:text-bad' : 'hover:bg-ink/5 hover:text-ink'
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-grid size-11 place-items-center rounded-1 text-text-2 transition-colors duration-150 aria-pressed:bg-ink aria-pressed:text-accent [&_svg]:size-5 ${hover} ${className}`}
      {...props}
    />
  )
}
