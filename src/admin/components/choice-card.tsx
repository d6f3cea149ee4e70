import type { InputHTMLAttributes } from 'react'
import { useId } from 'react'
import { cn } from '../lib/cn.ts'

interface ChoiceCardProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'className'> {
  label: string
  /** What choosing it means, in a sentence. */
  meaning: string | undefined
  /** Why it stands out among the others. */
  mark?: string | null
  [data: `data-${string}`]: unknown
}

/** One of a few ways to do something, with what it means: a radio button that is read before it is pressed. */
export function ChoiceCard({ label, meaning, mark, ...input }: ChoiceCardProps) {
  const id = useId()
  return (
    <label
      className={cn(
        'grid cursor-pointer grid-cols-[auto_1fr] items-start gap-x-3 rounded-1 px-3.5 py-3',
        'has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
        input.checked
          ? 'bg-[#fafaf6] shadow-[inset_0_0_0_2px_var(--ink)]'
          : 'shadow-[inset_0_0_0_1px_var(--line-2)] hover:shadow-[inset_0_0_0_1px_var(--ink)]',
      )}
    >
      <input
        {...input}
        type="radio"
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-means`}
        className="mt-0.5 size-5 accent-ink focus-visible:outline-0"
      />
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2.5 text-[0.9375rem] font-semibold">
          <span id={`${id}-label`}>{label}</span>
          {mark ? (
            <span className="chip rounded-sm bg-accent-3 px-1.5 py-0.5 text-xs text-warn">{mark}</span>
          ) : null}
        </span>
        <span id={`${id}-means`} className="block text-sm text-pretty text-text-2">
          {meaning}
        </span>
      </span>
    </label>
  )
}
