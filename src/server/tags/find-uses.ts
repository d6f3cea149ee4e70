import { publicHostOf } from '#contract/public-host.ts'
import type { HostUse } from './host-uses.ts'
import type { ScriptFacts, ScriptText } from './inspect-script.ts'

const PICTURE = /\.(gif|png|jpe?g|webp|svg|ico)$/i
const SCRIPT = /\.m?js$/i

/**
 * The hosts that a script's code names, and what each may be used for. Code is not run, so this goes by what is written:
 *
 * | the address stands in | counts for |
 * |---|---|
 * | `fetch`, `sendBeacon`, `EventSource`, a request's `open` | connect |
 * | an `import` | script |
 * | any other text, ending in a picture's name | image |
 * | any other text, ending in `.js` | script, connect, image: a script reports to where it came from |
 * | any other text, in code that names the element `script` | script, connect, image |
 * | any other text | connect, image: what settings of a vendor's script are |
 *
 * and for frame as well in code that names the element `iframe`. What this misses is blocked, told to the administrator
 * and allowed with one click; what it gives too much is a host that the code itself names.
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
