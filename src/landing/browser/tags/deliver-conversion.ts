import type { ConversionCall, ManifestTag } from '#contract/tag-manifest.ts'
import { gtag } from '../shared/gtag.ts'
import type { Conversion } from './watch-conversions.ts'

/** Event of the DOM that a custom tag may listen to. */
const CUSTOM_EVENT = 'portico:event'

/**
 * Tells every vendor that runs, each call once: a vendor's library passes it on to all of its IDs by itself. Returns the
 * tags whose vendor was there to be told.
 */
export function deliverConversion({ name, id }: Conversion, running: readonly ManifestTag[]): string[] {
  const made = new Map<string, boolean>()
  const told = running.filter(({ conversions }) => {
    const calls = conversions?.[name] ?? []
    return calls.map((call) => makeOnce(call, id, made)).includes(true)
  })
  if (running.some(({ type }) => type === 'custom')) {
    document.dispatchEvent(new CustomEvent(CUSTOM_EVENT, { detail: { event: name, event_id: id } }))
  }
  return told.map((tag) => tag.id)
}

function makeOnce({ call, args }: ConversionCall, id: string, made: Map<string, boolean>): boolean {
  const text = JSON.stringify(args)
  const key = call + text
  let isMade = made.get(key)
  if (isMade === undefined) {
    isMade = makeCall(call, JSON.parse(text.replaceAll('$id', id)))
    made.set(key, isMade)
  }
  return isMade
}

/** A vendor's function that throws must not keep the others from being told. */
export function makeCall(path: string, args: unknown[]): boolean {
  // Google's commands must be an `arguments` object, whatever a snippet has made of its own function.
  if (path === 'gtag') {
    gtag(...args)
    return true
  }
  const names = path.split('.')
  const method = names.pop() ?? ''
  const owner = names.reduce<unknown>(
    (object, name) => (object as Record<string, unknown> | null)?.[name],
    window,
  )
  const found = (owner as Record<string, unknown> | null | undefined)?.[method]
  if (typeof found !== 'function') return false
  try {
    found.apply(owner, args)
    return true
  } catch {
    return false
  }
}
