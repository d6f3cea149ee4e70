import type { TagWarning } from '#contract/tag-status.ts'
import type { TagSource } from './compiled-tag.ts'
import type { ScriptFacts } from './inspect-script.ts'
import type { Recognition } from './recognise-source.ts'
import { WARNINGS } from './warnings.ts'

/** A conversion that is told as the page opens is told by every visit. */
export function checkConversions(
  conversions: Recognition['conversions'],
  facts: readonly ScriptFacts[],
): TagWarning[] {
  const calls = facts.flatMap(({ atLoad }) => atLoad)
  return conversions.flatMap(({ vendor, call, begins, events, hasLabel }) => {
    const told = calls.find(
      ({ name, texts }) =>
        name === call &&
        begins.every((text, index) => texts[index] === text) &&
        (hasLabel || texts.some((text) => events.includes(text))),
    )
    return told === undefined ? [] : [WARNINGS.conversionAtLoad(vendor, hasLabel)]
  })
}

/** Measures nothing any more, whatever is sent. */
export function checkEnded(code: string): TagWarning[] {
  const [account] = /\bUA-\d{4,12}-\d{1,4}\b/.exec(code) ?? []
  return account === undefined ? [] : [WARNINGS.universalAnalytics(account)]
}

/** An ID that differs from the field sends every visit to another account, and shows nowhere. */
export function checkIds(
  source: TagSource,
  facts: readonly ScriptFacts[],
  addresses: readonly string[],
): TagWarning[] {
  const strings = facts.flatMap((fact) => fact.texts.map(({ text }) => text))
  const containers = strings.filter((text) => /^GTM-[A-Z0-9]+$/i.test(text))
  if (source.type !== 'google_tag_manager' && loadsContainer([...strings, ...addresses])) {
    return [WARNINGS.hiddenContainer()]
  }
  if (source.pixel_id === null || (facts.length === 0 && addresses.length === 0)) return []
  const expected = source.pixel_id
  const found = [...new Set([...idsInCode(source.type, facts, containers), ...idsInAddresses(addresses)])]
  if (found.length === 0) return [WARNINGS.idMissing(expected)]
  return found
    .filter((id) => id !== expected && isSameKind(id, expected))
    .map((id) => WARNINGS.otherId(id, expected))
}

/** One Google tag configures several products: `AW-` beside `G-` is another product, not another account. */
function isSameKind(id: string, expected: string): boolean {
  const kindOf = (text: string) => /^[A-Z]+(?=-)/i.exec(text)?.[0].toUpperCase()
  return kindOf(id) === kindOf(expected)
}

function idsInCode(
  type: TagSource['type'],
  facts: readonly ScriptFacts[],
  containers: readonly string[],
): string[] {
  const second = (name: string, command: string) =>
    facts.flatMap((fact) =>
      (fact.calls.get(name) ?? []).flatMap(([first, id]) => (first === command && id ? [id] : [])),
    )
  if (type === 'meta') return second('fbq', 'init')
  if (type === 'google_analytics') return second('gtag', 'config')
  return type === 'google_tag_manager' ? [...containers] : []
}

/** `gtag/js?id=…` and `gtm.js?id=…`. */
function idsInAddresses(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const url = new URL(address)
    const id = url.hostname.endsWith('googletagmanager.com') ? url.searchParams.get('id') : null
    return id === null ? [] : [id]
  })
}

function loadsContainer(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('googletagmanager.com/gtm.js'))
}
