export type TokenKind = 'text' | 'comment' | 'string' | 'keyword'

export interface Token {
  kind: TokenKind
  text: string
}

/** Longer code is shown plain: colours are not worth a slow screen. */
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

/** Cuts a snippet of HTML and JavaScript into coloured pieces. It aims at reading, not at parsing. */
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
