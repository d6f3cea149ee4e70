import type { PreparedTag } from '../prepare-tag.ts'
import { matchesSource } from '../source-keys.ts'

/** A whole address of a script, as code writes it between quotation marks. */
const LITERAL = /(['"`])((?:https:)?\/\/[\w.-]+\/[\w./~%+@=&?-]*)\1/g
const MAX_ADDRESSES = 20
const MAX_LENGTH = 500

/**
 * Where the tag gets its vendors' scripts, as far as it says so: what its elements name, and whole addresses in its code.
 * What the code puts together in each browser is not known here.
 */
export function findScriptAddresses({ tag, compiled, sources, marks }: PreparedTag): string[] {
  const found = new Set<string>()
  const add = (address: string) => {
    const url = URL.parse(address.startsWith('//') ? `https:${address}` : address)
    if (url?.protocol !== 'https:' || url.href.length > MAX_LENGTH) return
    if (sources.script.some((source) => matchesSource(url.hostname, source))) found.add(url.href)
  }
  for (const step of tag.steps) if (step.kind === 'vendor') add(step.src)
  const account = tag.vendorId ?? marks[0]?.account ?? null
  const own = compiled.steps.flatMap((step) => (step.kind === 'own' ? [step.body] : []))
  for (const text of own)
    for (const [, , address = ''] of text.matchAll(LITERAL)) {
      if (isScript(address)) add(address)
      // The container's own snippet adds its ID to the end.
      else if (address.endsWith('/gtm.js?id=') && account !== null) add(address + account)
    }
  return [...found].slice(0, MAX_ADDRESSES)
}

/** An address that ends in `=` waits for a value that the code adds. */
function isScript(address: string): boolean {
  const [path = '', query] = address.split('?', 2)
  return path.endsWith('.js') && (query === undefined || (query !== '' && !address.endsWith('=')))
}
