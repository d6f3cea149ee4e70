import { publicHostOf } from '#contract/public-host.ts'
import type { TagKind, TagWarning } from '#contract/tag-status.ts'
import type { CompiledStep, CompiledTag, HeadItem, TagSource } from './compiled-tag.ts'
import { findUses, type HostUse, HostUses, inspectScript, type ScriptFacts } from './inspect-script.ts'
import { readSnippet, type SnippetElement } from './read-snippet.ts'
import type { Recognition } from './recognise-source.ts'
import { checkConversions, checkEnded, checkIds, findPlaceholder, WARNINGS } from './warnings.ts'

const MAX_WARNINGS = 12

const MAX_STEPS = 50

const MAX_HEAD_ITEMS = 10

const JSON_LD = 'application/ld+json'

const CLASSIC_TYPES = new Set([
  '',
  'text/javascript',
  'application/javascript',
  'application/x-javascript',
  'text/ecmascript',
  'application/ecmascript',
])

/**
 * Compiles pasted text to ordered steps, with the hosts that it names and warnings for its author. Each inline script
 * stays its own file: wrapped in anything, `function gtag(){}` would no longer be global.
 */
export function compileTag(source: TagSource, recognition: Recognition): CompiledTag {
  const compiler = new Compiler(source, recognition)
  const snippet = readSnippet(source.code)
  for (const element of snippet.elements) compiler.take(element)
  return compiler.finish(snippet.hasLooseText)
}

class Compiler {
  readonly #source: TagSource
  readonly #recognition: Recognition
  readonly #steps: CompiledStep[] = []
  readonly #hosts = new HostUses()
  readonly #warnings = new Map<string, TagWarning>()
  readonly #facts: ScriptFacts[] = []
  readonly #addresses: string[] = []
  readonly #head: HeadItem[] = []
  #scripts = 0
  #taken = 0
  #hasNoscript = false

  constructor(source: TagSource, recognition: Recognition) {
    this.#source = source
    this.#recognition = recognition
  }

  take(element: SnippetElement): void {
    this.#taken++
    for (const name of Object.keys(element.attributes)) {
      if (name.startsWith('on')) this.#warn(WARNINGS.inlineHandler(name))
    }
    if (element.name === 'noscript') this.#takeNoscript(element)
    else if (element.name === 'script') this.#takeScript(element)
    else if (element.name === 'img') this.#takeImage(element)
    else if (element.name === 'meta') this.#takeHeadItem(readMeta(element))
    else this.#warn(WARNINGS.elementNotShipped(element.name))
  }

  finish(hasLooseText: boolean): CompiledTag {
    const { code } = this.#source
    const { vendors, known, isLink, conversions } = this.#recognition
    const steps = this.#steps.slice(0, MAX_STEPS)
    const head = this.#head.slice(0, MAX_HEAD_ITEMS)
    const kind = kindOfSnippet({ steps, head, hasNoscript: this.#hasNoscript, isLink })
    if (this.#scripts === 0 && hasLooseText && kind === 'nothing') this.#warn(WARNINGS.noScript())
    else if (kind === 'noscript') this.#warn(WARNINGS.noscriptOnly())
    else if (kind === 'link') this.#warn(WARNINGS.linkOnly())
    // An empty field or a comment alone needs no warning; broken code has its own.
    else if (kind === 'nothing' && this.#taken > 0 && this.#warnings.size === 0)
      this.#warn(WARNINGS.nothingRuns())
    const checked = [
      ...checkIds(this.#source, this.#facts, this.#addresses),
      ...checkConversions(conversions, this.#facts),
      ...checkEnded(code),
    ]
    for (const warning of checked) this.#warn(warning)
    const placeholder = findPlaceholder(code)
    if (placeholder !== null) this.#warn(WARNINGS.placeholder(placeholder))
    return {
      kind,
      steps,
      head,
      vendors,
      scripts: this.#hosts.of('script'),
      sources: this.#hosts.beyond(known),
      warnings: [...this.#warnings.values()].slice(0, MAX_WARNINGS),
    }
  }

  #takeScript({ attributes, text }: SnippetElement): void {
    const type = (attributes.type ?? '').trim().toLowerCase()
    if (type === JSON_LD) {
      this.#takeHeadItem(readJsonLd({ name: 'script', attributes, text }))
      return
    }
    this.#scripts++
    if (type !== 'module' && !CLASSIC_TYPES.has(type)) {
      this.#warn(WARNINGS.elementNotShipped(`script type="${type.slice(0, 40)}"`))
      return
    }
    const kept = keepAttributes(attributes, type === 'module')
    if (attributes.src === undefined) {
      this.#takeInline(text, kept, type === 'module')
      return
    }
    // A script reports to the host that it came from.
    const src = this.#address(attributes.src, ['script', 'connect', 'image'], 'script')
    if (src !== null) {
      this.#steps.push({ kind: 'vendor', src, attributes: kept, wait: attributes.async === undefined })
    }
  }

  #takeInline(body: string, attributes: Record<string, string>, isModule: boolean): void {
    if (body.trim() === '') return
    const facts = inspectScript(body, isModule ? 'module' : 'script')
    if (facts.fault !== null) {
      this.#warn(WARNINGS.doesNotParse(this.#scripts, facts.fault.line, facts.fault.reason))
      return
    }
    this.#facts.push(facts)
    if (facts.calls.has('document.write') || facts.calls.has('document.writeln')) {
      this.#warn(WARNINGS.documentWrite())
    }
    if (facts.calls.has('eval') || facts.calls.has('Function')) this.#warn(WARNINGS.usesEval())
    for (const { host, uses } of findUses(facts)) this.#hosts.add(host, uses)
    this.#steps.push({ kind: 'own', body, attributes })
  }

  #takeImage({ attributes }: SnippetElement): void {
    const src = attributes.src === undefined ? null : this.#address(attributes.src, ['image'], 'image')
    if (src !== null) this.#steps.push({ kind: 'image', src })
  }

  /** Not run, but it names hosts that the vendor's script will use. */
  #takeNoscript({ text }: SnippetElement): void {
    this.#hasNoscript = true
    for (const { name, attributes } of readSnippet(text).elements) {
      const host = publicHostOf(toAbsolute(attributes.src ?? ''))
      if (host === null) continue
      if (name === 'img') this.#hosts.add(host, ['image', 'connect'], 'image')
      if (name === 'iframe') this.#hosts.add(host, ['frame'], 'frame')
    }
  }

  #takeHeadItem(read: ReturnType<typeof readMeta>): void {
    if ('item' in read) this.#head.push(read.item)
    else this.#warn(read.warning)
  }

  /** An absolute address that the page may load from; anything else becomes a warning. */
  #address(text: string, uses: readonly HostUse[], certain: HostUse): string | null {
    const absolute = toAbsolute(text)
    const host = publicHostOf(absolute)
    if (host === null) {
      this.#warn(/^http:/i.test(absolute) ? WARNINGS.notHttps(absolute) : WARNINGS.unusableAddress(absolute))
      return null
    }
    this.#hosts.add(host, uses, certain)
    this.#addresses.push(absolute)
    return new URL(absolute).href
  }

  #warn(warning: TagWarning): void {
    this.#warnings.set(warning.message, warning)
  }
}

function toAbsolute(address: string): string {
  const text = address.trim()
  return text.startsWith('//') ? `https:${text}` : text
}

/** Vendors read settings from `data-*`. Attributes that change how the script runs are dropped. */
function keepAttributes(attributes: Record<string, string>, isModule: boolean): Record<string, string> {
  const kept = Object.entries(attributes).filter(([name]) =>
    /^(data-[a-z0-9._-]+|id|crossorigin|integrity|referrerpolicy|charset)$/.test(name),
  )
  return Object.fromEntries(isModule ? [...kept, ['type', 'module']] : kept)
}

interface SnippetParts {
  steps: readonly CompiledStep[]
  head: readonly HeadItem[]
  hasNoscript: boolean
  isLink: boolean
}

function kindOfSnippet({ steps, head, hasNoscript, isLink }: SnippetParts): TagKind {
  if (steps.some(({ kind }) => kind !== 'image')) return 'script'
  if (steps.length > 0) return 'image'
  if (head.length > 0) return 'head'
  if (hasNoscript) return 'noscript'
  return isLink ? 'link' : 'nothing'
}

/**
 * Metas by which a service verifies who owns the site. Never `http-equiv`, or anything that search engines or browsers
 * obey.
 */
const VERIFICATION_NAMES = new Set([
  'google-site-verification',
  'facebook-domain-verification',
  'msvalidate.01',
  'p:domain_verify',
  'yandex-verification',
  'ahrefs-site-verification',
])

const CONTENT = /^[\x21-\x7e]{1,200}$/

const MAX_JSON_LD_BYTES = 2_048

type Read = { item: HeadItem } | { warning: TagWarning }

/** A verification `<meta>`, or why it is not added to the page. */
function readMeta({ attributes }: SnippetElement): Read {
  const name = (attributes.name ?? '').trim().toLowerCase()
  const content = (attributes.content ?? '').trim()
  if (attributes['http-equiv'] !== undefined || !VERIFICATION_NAMES.has(name)) {
    return { warning: WARNINGS.metaNotShipped(name || attributes['http-equiv'] || attributes.property || '') }
  }
  if (!CONTENT.test(content)) return { warning: WARNINGS.metaWithoutCode(name) }
  return { item: { kind: 'meta', name, content } }
}

/** Structured data, parsed and serialised again: only data reaches the page, whatever was pasted. */
function readJsonLd({ text }: SnippetElement): Read {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { warning: WARNINGS.jsonLdUnreadable() }
  }
  if (value === null || typeof value !== 'object') return { warning: WARNINGS.jsonLdUnreadable() }
  const json = JSON.stringify(value)
  if (Buffer.byteLength(json) > MAX_JSON_LD_BYTES) return { warning: WARNINGS.jsonLdTooLarge() }
  return { item: { kind: 'json_ld', json } }
}
