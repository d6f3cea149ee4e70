import { useMemo } from 'react'
import { cn } from '#admin/lib/cn.ts'
import { highlightCode, type TokenKind } from '../highlight-code.ts'

const COLOURS: Record<TokenKind, string | undefined> = {
  text: undefined,
  comment: 'text-on-ink-2',
  string: 'text-[#a9dcc0]',
  keyword: 'text-accent',
}

/** Code to read. Reachable by keyboard, so that it can be scrolled without a mouse. */
export function CodeBlock({ code, className }: { code: string; className?: string }) {
  const tokens = useMemo(() => highlightCode(code), [code])
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for scrollable regions to take focus
      tabIndex={0}
      className={cn(
        'on-ink max-h-[60dvh] overflow-auto rounded-1 p-5 font-mono text-[0.8125rem]/[1.7] [tab-size:2] focus-visible:outline-offset-[-4px]',
        className,
      )}
    >
      <code>
        {tokens.map((token, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which is replaced whole
          <span key={index} className={COLOURS[token.kind]}>
            {token.text}
          </span>
        ))}
      </code>
    </pre>
  )
}
