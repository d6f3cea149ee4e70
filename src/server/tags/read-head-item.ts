import type { TagWarning } from '#contract/tag-status.ts'
import type { HeadItem } from './compiled-tag.ts'
import type { SnippetElement } from './read-snippet.ts'
import { WARNINGS } from './warnings.ts'

/** Names by which a service finds out whose site this is. Never `http-equiv`, never what search engines or browsers obey. */
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

/** A `<meta>` that proves whose site this is, or why it does not enter the page. */
export function readMeta({ attributes }: SnippetElement): Read {
  const name = (attributes.name ?? '').trim().toLowerCase()
  const content = (attributes.content ?? '').trim()
  if (attributes['http-equiv'] !== undefined || !VERIFICATION_NAMES.has(name)) {
    return { warning: WARNINGS.metaNotShipped(name || attributes['http-equiv'] || attributes.property || '') }
  }
  if (!CONTENT.test(content)) return { warning: WARNINGS.metaWithoutCode(name) }
  return { item: { kind: 'meta', name, content } }
}

/** Structured data, parsed and written again: what enters the page is data, whatever was pasted. */
export function readJsonLd({ text }: SnippetElement): Read {
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
