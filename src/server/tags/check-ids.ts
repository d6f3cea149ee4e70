import type { TagWarning } from '#contract/tag-status.ts'
import type { TagSource } from './compiled-tag.ts'
import type { ScriptFacts } from './inspect-script.ts'
import { WARNINGS } from './warnings.ts'

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
  return found.filter((id) => id !== expected).map((id) => WARNINGS.otherId(id, expected))
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
