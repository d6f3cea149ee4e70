import { useProblemCount } from '../api/problem-count.ts'

/** On the tab: how many pixels have a problem. Nothing while none has, or nobody knows. */
export function ProblemMark() {
  const count = useProblemCount()
  if (!count) return null
  return (
    <span className="tab-mark max-lg:absolute max-lg:top-0.5 max-lg:left-[calc(50%+0.5rem)] grid h-5.5 min-w-5 place-items-center rounded-[11px_11px_4px_4px] bg-bad px-1.5 text-xs font-semibold text-surface lg:ml-auto">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="sr-only">: {count} com problema</span>
    </span>
  )
}
