import { cn } from '#admin/lib/cn.ts'
import { formatCount } from '#contract/format-count.ts'
import type { DiffLine } from '#contract/pixel-history.ts'

const SIGNS = { same: ' ', added: '+', removed: '−' } as const

interface CodeDifferenceProps {
  lines: readonly DiffLine[]
  /** What each sign means, for who cannot see it. */
  added: string
  removed: string
}

/** Two texts as one, line by line. */
export function CodeDifference({ lines, added, removed }: CodeDifferenceProps) {
  const names = { same: '', added: `${added}: `, removed: `${removed}: ` }
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-1 bg-[#fafaf6] py-2 font-mono text-[0.8125rem]/[1.7] shadow-[inset_0_0_0_1px_var(--line)] focus-visible:outline-offset-[-4px]"
    >
      {lines.map((line, index) =>
        line.kind === 'gap' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text, which is replaced whole
          <span key={index} className="block px-3 text-text-2">
            … {formatCount(line.lines, 'linha igual', 'linhas iguais')}
          </span>
        ) : (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text, which is replaced whole
            key={index}
            className={cn(
              'block w-max min-w-full px-3',
              line.kind === 'added' && 'bg-ok-bg text-ok',
              line.kind === 'removed' && 'bg-bad-bg text-bad',
            )}
          >
            <span className="sr-only">{names[line.kind]}</span>
            <span aria-hidden="true" className="mr-2 inline-block w-3 select-none">
              {SIGNS[line.kind]}
            </span>
            {line.text === '' ? ' ' : line.text}
          </span>
        ),
      )}
    </pre>
  )
}
