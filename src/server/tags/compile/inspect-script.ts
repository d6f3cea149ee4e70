import { type AnyNode, type Node, parse } from 'acorn'
import { publicHostOf } from '#contract/public-host.ts'
import { matchesSource, SOURCE_KEYS, type TagSources } from '#server/http/security/content-security-policy.ts'
import type { NamedSources } from './compiled-tag.ts'

const PICTURE = /\.(gif|png|jpe?g|webp|svg|ico)$/i

const SCRIPT = /\.m?js$/i

/**
 * The hosts in a script's code, and what each may be used for. Code is not run, so this goes by the text:
 *
 * | the address is in | counts as |
 * |---|---|
 * | `fetch`, `sendBeacon`, `EventSource`, a request's `open` | connect |
 * | an `import` | script |
 * | any other text that ends like an image file | image |
 * | any other text that ends in `.js` | script, connect, image: a script reports to the host it came from |
 * | any other text, in code that names the element `script` | script, connect, image |
 * | any other text | connect, image: typical for settings of a vendor's script |
 *
 * and also as frame in code that names the element `iframe`. Missed hosts are blocked, shown to the administrator and
 * permitted with one click. Surplus hosts are only ones that the code itself names.
 */
export function findUses(facts: ScriptFacts): { host: string; uses: HostUse[] }[] {
  const names = (element: string) =>
    facts.texts.some(({ text }) => text.toLowerCase() === element || text.includes(`<${element}`))
  const makesScripts = names('script')
  const makesFrames = names('iframe')
  return facts.texts.flatMap(({ text, use }) => {
    const absolute = text.startsWith('//') ? `https:${text}` : text
    const host = publicHostOf(absolute)
    return host === null ? [] : [{ host, uses: usesOf(absolute, use, makesScripts, makesFrames) }]
  })
}

function usesOf(
  address: string,
  use: ScriptText['use'],
  makesScripts: boolean,
  makesFrames: boolean,
): HostUse[] {
  if (use !== null) return [use]
  const { pathname } = new URL(address)
  if (PICTURE.test(pathname)) return ['image']
  if (SCRIPT.test(pathname)) return ['script', 'connect', 'image']
  return [
    ...(makesScripts ? (['script'] as const) : []),
    'connect',
    'image',
    ...(makesFrames ? (['frame'] as const) : []),
  ]
}

/** A text in the code; `use` is set if its surroundings show what it is for. */
interface ScriptText {
  text: string
  use: 'connect' | 'script' | null
}

export interface ScriptFacts {
  /** Line and reason, if a browser would refuse to run it. */
  fault: { line: number; reason: string } | null
  texts: ScriptText[]
  /** Calls by function name, with the texts among their arguments: `fbq` → [["init", "123"], …]. */
  calls: Map<string, string[][]>
  /** Calls made while the script runs, not inside a function, with all texts in their arguments. */
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

/** Code nested thousands deep exhausts the parser's stack; it counts as a syntax error. */
function describeFault(error: unknown): { line: number; reason: string } {
  const { loc, message = 'unreadable' } = error as { loc?: { line: number }; message?: string }
  // The parser appends the position. The message quotes the code, so it is cut from the end, not searched.
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

/** No call that we look for has more. */
const MAX_ARGUMENT_TEXTS = 20

/** `called` are functions called in place: `(function () { … })()`. */
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

/** Marks the first text of an address whose use is visible. */
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

/** The piece with the host, of `'https://a.example/' + path` or a template. */
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

/** No function that we look for has a longer name. */
const MAX_NAME_PARTS = 4

/** `fbq`, `document.write`; a leading `window.` is dropped. */
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

export type HostUse = keyof NamedSources

/** Collects the hosts in a snippet by use. */
export class HostUses {
  readonly #hosts: Record<HostUse, Set<string>> = {
    script: new Set(),
    connect: new Set(),
    image: new Set(),
    frame: new Set(),
  }
  readonly #certain = new Set<string>()

  /** `certain` is the use that an element shows; the others are guesses. */
  add(host: string, uses: readonly HostUse[], certain: HostUse | null = null): void {
    for (const use of uses) this.#hosts[use].add(host)
    if (certain !== null) this.#certain.add(`${certain} ${host}`)
  }

  of(use: HostUse): string[] {
    return [...this.#hosts[use]].sort()
  }

  /** Without guesses about hosts that the catalogue knows, and without what the catalogue already gives. */
  beyond(known: TagSources): NamedSources {
    const all = [...new Set(SOURCE_KEYS.flatMap((key) => known[key]))]
    const covers = (sources: readonly string[], host: string) =>
      sources.some((source) => matchesSource(host, source))
    const foreign = (use: HostUse) =>
      this.of(use).filter((host) => !covers(this.#certain.has(`${use} ${host}`) ? known[use] : all, host))
    return {
      script: foreign('script'),
      connect: foreign('connect'),
      image: foreign('image'),
      frame: foreign('frame'),
    }
  }
}
