import type { ComponentProps } from 'react'

const LOOKS = {
  solid: 'bg-ink text-on-ink hover:bg-ink-2',
  outline: 'border-[1.5px] border-current hover:bg-ink/5',
  danger: 'bg-bad text-surface hover:brightness-90',
  onInk: 'border-[1.5px] border-current hover:bg-surface/10 max-md:border-transparent',
} as const

interface ButtonProps extends ComponentProps<'button'> {
  look?: keyof typeof LOOKS
}

export function Button({ look = 'solid', type = 'button', className = '', ...props }: ButtonProps) {
  return (
    <button
      type={type}
      className={`inline-flex min-h-11 items-center justify-center gap-2 rounded-1 px-4.5 text-[0.9375rem] font-semibold whitespace-nowrap transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-60 aria-disabled:cursor-progress aria-disabled:opacity-70 [&_svg]:size-5 ${LOOKS[look]} ${className}`}
      {...props}
    />
  )
}
