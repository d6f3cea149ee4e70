import { type AnyNode, type Node, parse } from 'acorn'

export interface ScriptFacts {
  /** Line and reason, when the browser would refuse to run it. */
  fault: { line: number; reason: string } | null
  /** Every piece of text in the code. */
  strings: string[]
  /** Calls by the name of what is called, with the texts among their arguments: `fbq` → [["init", "123"], …]. */
  calls: Map<string, string[][]>
}

/** Reads a script without running it. */
export function inspectScript(code: string, sourceType: 'script' | 'module'): ScriptFacts {
  const facts: ScriptFacts = { fault: null, strings: [], calls: new Map() }
  try {
    visit(parse(code, { ecmaVersion: 'latest', sourceType, locations: true }), facts)
  } catch (error) {
    facts.fault = describeFault(error)
  }
  return facts
}

/** Code nested thousands deep exhausts the parser's stack: it is as unreadable as any other fault. */
function describeFault(error: unknown): { line: number; reason: string } {
  const { loc, message } = error as { loc?: { line: number }; message?: string }
  return { line: loc?.line ?? 1, reason: (message ?? 'unreadable').replace(/\s*\(\d+:\d+\)$/, '') }
}

function visit(root: Node, facts: ScriptFacts): void {
  const pending: Node[] = [root]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    note(node as AnyNode, facts)
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) pending.push(...value.filter(isNode))
      else if (isNode(value)) pending.push(value)
    }
  }
}

function note(node: AnyNode, facts: ScriptFacts): void {
  if (node.type === 'Literal' && typeof node.value === 'string') facts.strings.push(node.value)
  if (node.type === 'TemplateElement') facts.strings.push(node.value.cooked ?? node.value.raw)
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return
  const name = nameOf(node.callee as AnyNode)
  if (name === null) return
  const texts = node.arguments.map((argument) =>
    argument.type === 'Literal' && typeof argument.value === 'string' ? argument.value : '',
  )
  const known = facts.calls.get(name)
  if (known === undefined) facts.calls.set(name, [texts])
  else known.push(texts)
}

/** `fbq`, `document.write`; `window.` in front changes nothing. */
function nameOf(callee: AnyNode): string | null {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier')
    return null
  const object = nameOf(callee.object as AnyNode)
  if (object === null) return null
  return object === 'window' ? callee.property.name : `${object}.${callee.property.name}`
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && typeof (value as Node).type === 'string'
}
