import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment } from 'parse5'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

export interface SnippetElement {
  name: string
  attributes: Record<string, string>
  /** Text inside a script. */
  text: string
}

export interface Snippet {
  /** In document order. */
  elements: SnippetElement[]
  /** True if there is text outside every element: usually code pasted without `<script>`. */
  hasLooseText: boolean
}

/** About sixty times the longest snippet that we know. */
const MAX_ELEMENTS = 50_000

/** Misnested formatting elements are repeated for each block that follows: a few kilobytes can produce millions. */
export class TooManyElementsError extends Error {}

/** Parses a pasted snippet as browsers do. `noscript` is one text, as in a browser that runs scripts. */
export function readSnippet(code: string): Snippet {
  const elements: SnippetElement[] = []
  let hasLooseText = false
  const pending: Node[] = [...parse(code).childNodes].reverse()
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('tagName' in node) {
      elements.push({ name: node.tagName, attributes: readAttributes(node), text: readText(node) })
      if (!HOLDS_RAW_TEXT.has(node.tagName)) pending.push(...[...childrenOf(node)].reverse())
    } else if ('value' in node && node.value.trim() !== '') {
      hasLooseText = true
    }
  }
  return { elements, hasLooseText }
}

function parse(code: string): DefaultTreeAdapterTypes.DocumentFragment {
  let made = 0
  const createElement: typeof defaultTreeAdapter.createElement = (...element) => {
    if (++made > MAX_ELEMENTS) throw new TooManyElementsError()
    return defaultTreeAdapter.createElement(...element)
  }
  return parseFragment(code, {
    scriptingEnabled: true,
    treeAdapter: { ...defaultTreeAdapter, createElement },
  })
}

const HOLDS_RAW_TEXT = new Set([
  'script',
  'style',
  'noscript',
  'textarea',
  'title',
  'iframe',
  'noframes',
  'xmp',
])

function childrenOf(element: Element): Node[] {
  return 'content' in element
    ? (element as DefaultTreeAdapterTypes.Template).content.childNodes
    : element.childNodes
}

/** The first of two attributes with one name wins, as in the parser. */
function readAttributes(element: Element): Record<string, string> {
  return Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]))
}

function readText(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
}
