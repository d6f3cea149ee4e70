import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment } from 'parse5'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

export interface SnippetElement {
  name: string
  attributes: Record<string, string>
  /** The text inside, of a script. */
  text: string
}

export interface Snippet {
  /** In the order of the text, which is the order in which a browser meets them. */
  elements: SnippetElement[]
  /** True when there is text outside every element: most often code pasted without its `<script>`. */
  hasLooseText: boolean
}

/** Some sixty times what the longest snippet that we know has. */
const MAX_ELEMENTS = 50_000

/** Misnested formatting elements are made again for each block that follows: a few kilobytes can ask for millions. */
export class TooManyElementsError extends Error {}

/** Reads a pasted snippet by the browsers' own algorithm. `noscript` is one text to it, as in a browser that runs scripts. */
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

/** The first of two attributes of one name wins, as the parser has already decided. */
function readAttributes(element: Element): Record<string, string> {
  return Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]))
}

function readText(element: Element): string {
  return element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
}
