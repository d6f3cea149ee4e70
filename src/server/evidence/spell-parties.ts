import type { EvidencePartiesContent } from '#contract/consent.ts'
import { canonicalJson } from './canonical.ts'

/** Spelled once for as long as they are the same objects. */
const spelled = new WeakMap<object, string>()

/** As `canonicalJson` spells it, at the price of what is new: a set of ten thousand tags changes one at a time. */
export function spellParties(content: EvidencePartiesContent): string {
  const parts: Record<keyof EvidencePartiesContent, string> = {
    controller: canonicalJson(content.controller),
    recipients: `[${content.recipients.map(spellOnce).join()}]`,
    tag_set_version: canonicalJson(content.tag_set_version),
  }
  const entries = Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`
}

function spellOnce(value: object): string {
  const known = spelled.get(value)
  if (known !== undefined) return known
  const text = canonicalJson(value)
  spelled.set(value, text)
  return text
}
