import { useMemo } from 'react'
import { cn } from '#admin/lib/cn.ts'
import { formatCount } from '#contract/format-count.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { DiffLine } from '#contract/pixel-history.ts'

const COLOURS: Record<TokenKind, string | undefined> = {
  text: undefined,
  comment: 'text-on-ink-2',
  string: 'text-[#a9dcc0]',
  keyword: 'text-accent',
}

/** Read-only code. Focusable, so that it can be scrolled by keyboard. */
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

const SIGNS = { same: ' ', added: '+', removed: '−' } as const

interface CodeDifferenceProps {
  lines: readonly DiffLine[]
  /** The meaning of each sign, for screen readers. */
  added: string
  removed: string
}

/** The difference of two texts by line. */
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
            … {formatCount(line.lines, 'linha sem mudança', 'linhas sem mudança')}
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

/** The pixel's code; without any, a comment that names the pixel. */
export function displayedCode({ name, pixel_id, code }: Pick<Pixel, 'name' | 'pixel_id' | 'code'>): string {
  if (code.trim() !== '') return code
  const text = [name, pixel_id].filter(Boolean).join(': ')
  // Two hyphens could end the comment early when it is copied into a page.
  return `<!-- ${text.replaceAll('--', '- -')} -->`
}

type TokenKind = 'text' | 'comment' | 'string' | 'keyword'

interface Token {
  kind: TokenKind
  text: string
}

/** Longer code is shown plain, to keep the screen fast. */
const HIGHLIGHT_LIMIT = 30_000

const KEYWORDS =
  'async|await|case|class|const|do|else|false|for|function|if|in|let|new|null|of|return|switch|this|throw|true|try|typeof|undefined|var|while'

const TOKENS = new RegExp(
  [
    '(?<comment><!--[\\s\\S]*?(?:-->|$)|/\\*[\\s\\S]*?(?:\\*/|$)|(?<=^|\\s)//[^\\n]*)',
    '(?<string>"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`)',
    `(?<keyword></?[a-zA-Z][\\w-]*|(?<![\\w$.])(?:${KEYWORDS})(?![\\w$]))`,
  ].join('|'),
  'gm',
)

/** Splits HTML and JavaScript into coloured pieces. It is for reading, not a parser. */
export function highlightCode(code: string): Token[] {
  if (code.length > HIGHLIGHT_LIMIT) return [{ kind: 'text', text: code }]
  const tokens: Token[] = []
  let end = 0
  for (const match of code.matchAll(TOKENS)) {
    if (match.index > end) tokens.push({ kind: 'text', text: code.slice(end, match.index) })
    tokens.push({ kind: kindOf(match.groups), text: match[0] })
    end = match.index + match[0].length
  }
  if (end < code.length) tokens.push({ kind: 'text', text: code.slice(end) })
  return tokens
}

function kindOf(groups: Record<string, string> | undefined): TokenKind {
  if (groups?.comment !== undefined) return 'comment'
  return groups?.string === undefined ? 'keyword' : 'string'
}
