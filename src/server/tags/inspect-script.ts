import { type AnyNode, type Node, parse } from 'acorn'

/** A piece of text in the code; `use` when what is around it says what it is for. */
export interface ScriptText {
  text: string
  use: 'connect' | 'script' | null
}

export interface ScriptFacts {
  /** Line and reason, when the browser would refuse to run it. */
  fault: { line: number; reason: string } | null
  texts: ScriptText[]
  /** Calls by the name of what is called, with the texts among their arguments: `fbq` → [["init", "123"], …]. */
  calls: Map<string, string[][]>
  /** Those that are made as the script runs, and not in a function that waits, with all texts in their arguments. */
  atLoad: { name: string; texts: string[] }[]
}

/** Reads a script without running it. */
export function inspectScript(code: string, sourceType: 'script' | 'module'): ScriptFacts {
  const facts: ScriptFacts = { fault: null, texts: [], calls: new Map(), atLoad: [] }
  try {
    visit(parse(code, { ecmaVersion: 'latest', sourceType }), facts)
  } catch (error) {
    facts.fault = describeFault(error)
  }
  return facts
}

/** Code nested thousands deep exhausts the parser's stack: it is as unreadable as any other fault. */
function describeFault(error: unknown): { line: number; reason: string } {
  const { loc, message = 'unreadable' } = error as { loc?: { line: number }; message?: string }
  // The parser ends its words with the place. They quote the code, so they are cut and not searched.
  const place = message.lastIndexOf(' (')
  return {
    line: loc?.line ?? 1,
    reason: loc !== undefined && place > 0 ? message.slice(0, place) : message,
  }
}

function visit(root: Node, facts: ScriptFacts): void {
  const uses = new Map<Node, ScriptText['use']>()
  const called = new Set<Node>()
  const waiting = new Set<Node>()
  const pending: Node[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const waits = waiting.has(node) || (/Function/.test(node.type) && !called.has(node))
    noteUse(node as AnyNode, uses)
    note(node as AnyNode, facts, uses.get(node) ?? null)
    if (!waits) noteAtLoad(node as AnyNode, facts, called)
    const push = (child: Node) => {
      if (waits) waiting.add(child)
      pending.push(child)
    }
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const item of value) isNode(item) && push(item)
      else if (isNode(value)) push(value)
    }
  }
}

/** No call that we look for has more to it than this. */
const MAX_ARGUMENT_TEXTS = 20

/** `called` are functions that are called where they stand: `(function () { … })()`. */
function noteAtLoad(node: AnyNode, facts: ScriptFacts, called: Set<Node>): void {
  if (node.type !== 'CallExpression') return
  if (/Function/.test(node.callee.type)) called.add(node.callee)
  const name = nameOf(node.callee as AnyNode)
  if (name === null) return
  const texts: string[] = []
  const pending: Node[] = [...node.arguments].reverse()
  for (let part = pending.pop() as AnyNode | undefined; part !== undefined; ) {
    if (part.type === 'Literal' && typeof part.value === 'string') texts.push(part.value)
    else if (part.type === 'ObjectExpression')
      for (const property of part.properties) property.type === 'Property' && pending.push(property.value)
    else if (part.type === 'ArrayExpression') for (const item of part.elements) item && pending.push(item)
    part = texts.length < MAX_ARGUMENT_TEXTS ? (pending.pop() as AnyNode | undefined) : undefined
  }
  facts.atLoad.push({ name, texts })
}

const CONNECTING = new Set(['fetch', 'navigator.sendBeacon', 'EventSource'])
const METHODS = /^(get|post|put|head)$/i

/** Marks the text at the head of an address whose use the code itself tells. */
function noteUse(node: AnyNode, uses: Map<Node, ScriptText['use']>): void {
  const mark = (address: Node | null | undefined, use: ScriptText['use']) => {
    const text = leadingText(address)
    if (text !== null) uses.set(text, use)
  }
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportExpression':
      mark(node.source, 'script')
      break
    case 'CallExpression':
    case 'NewExpression':
      if (CONNECTING.has(nameOf(node.callee as AnyNode) ?? '')) mark(node.arguments[0], 'connect')
      else if (isRequestOpened(node.callee as AnyNode, node.arguments)) mark(node.arguments[1], 'connect')
  }
}

/** `request.open('POST', …)`; `window.open` takes no method. */
function isRequestOpened(callee: AnyNode, [method]: readonly Node[]): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'open' &&
    METHODS.test(textOf(method as AnyNode | undefined))
  )
}

/** Of `'https://a.example/' + path` and of a template, the piece that holds the host. */
function leadingText(address: Node | null | undefined): Node | null {
  let node = address as AnyNode | null | undefined
  while (node?.type === 'BinaryExpression') node = node.left as AnyNode
  if (node?.type === 'TemplateLiteral') return node.quasis[0] ?? null
  return node?.type === 'Literal' ? node : null
}

function note(node: AnyNode, facts: ScriptFacts, use: ScriptText['use']): void {
  if (node.type === 'Literal' && typeof node.value === 'string') facts.texts.push({ text: node.value, use })
  if (node.type === 'TemplateElement') facts.texts.push({ text: node.value.cooked ?? node.value.raw, use })
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return
  const name = nameOf(node.callee as AnyNode)
  if (name === null) return
  const texts = node.arguments.map((argument) => textOf(argument as AnyNode))
  const known = facts.calls.get(name)
  if (known === undefined) facts.calls.set(name, [texts])
  else known.push(texts)
}

function textOf(node: AnyNode | undefined): string {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : ''
}

/** No function that we look for is named deeper than this. */
const MAX_NAME_PARTS = 4

/** `fbq`, `document.write`; `window.` in front changes nothing. */
function nameOf(callee: AnyNode, parts = 1): string | null {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier')
    return null
  const object = parts < MAX_NAME_PARTS ? nameOf(callee.object as AnyNode, parts + 1) : null
  if (object === null) return null
  return object === 'window' ? callee.property.name : `${object}.${callee.property.name}`
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && typeof (value as Node).type === 'string'
}
