import type { ReactNode } from 'react'

interface EmptyStateProps {
  picture?: ReactNode
  title: string
  text?: string
  /** What this place is for, in smaller print. */
  lesson?: string
  action?: ReactNode
}

export function EmptyState({ picture, title, text, lesson, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center px-6 pt-14 pb-16 text-center">
      {picture ? <div className="mb-6">{picture}</div> : null}
      <h3 className="text-xl">{title}</h3>
      {text ? <p className="mt-1.5 max-w-[30em] text-balance text-text-2">{text}</p> : null}
      {lesson ? <p className="mt-1.5 max-w-[34em] text-sm text-balance text-text-2">{lesson}</p> : null}
      {action ? <div className="mt-6 max-sm:w-full max-sm:*:w-full">{action}</div> : null}
    </div>
  )
}
