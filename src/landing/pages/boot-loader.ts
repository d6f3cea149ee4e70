// Apart from `document.tsx`: the server hashes this script for its policy, and Node runs no TSX.
import { CONSENT_COOKIE } from '#contract/consent-choice.ts'
import { KEPT_TIMING } from '#contract/site.ts'

/**
 * Not every browser reports a first paint: Firefox does not when the page is painted scrolled, nor when it resists
 * fingerprinting.
 */
const FRAMES = 9

/** A page in the background gets no frames. */
const GIVE_UP_MS = 3_000

/**
 * The one script inside the page. It asks for the boot script and the typeface once the whole page has been drawn for
 * the first time: nothing that the visitor sees waits for them, and they take nothing from what draws the page. The
 * typeface then waits in the browser's cache for the next visit, which wears it from the first frame on (class `typeset`,
 * styles/after-first-frame.css). Two signs tell of an earlier visit: the page itself came out of the cache
 * (`KEPT_TIMING`), or the visitor has answered the cookie banner. The second one also holds after the page has
 * changed, and in a browser that does not cache the page.
 *
 * Inline, so that the policy can name the script by its hash: under `'strict-dynamic'` trust starts from that hash and is
 * passed on.
 */
export function bootLoader(bootScript: string): string {
  // One file holds every weight. Without it the page stays in the device's font.
  const font = `d.fonts.load("1em Instrument Sans").catch(()=>0)`
  // An element, not `import()`: that would count as written into the page, which `'strict-dynamic'` refuses.
  const script = `Object.assign(d.createElement("script"),{type:"module",src:${JSON.stringify(bootScript)}})`
  const kept = `performance.getEntriesByType("navigation")[0]?.serverTiming?.[0]?.name==${JSON.stringify(KEPT_TIMING)}`
  const answered = `d.cookie.match(${JSON.stringify(CONSENT_COOKIE)})`
  const drawn = `performance.getEntriesByName("first-contentful-paint")[0]`
  const go = `go=()=>{go=()=>0;d.head.append(${script});${font}}`
  // What was drawn before the page had come to its end may be a part of it: hence two frames more.
  const wait = `w=()=>${drawn}||!n--?go():f(w)`
  // Not `load`, which waits for a typeface that was asked for before the first frame.
  const start = `d.addEventListener("DOMContentLoaded",()=>{f(()=>f(w));setTimeout(()=>go(),${GIVE_UP_MS})})`
  return `{let d=document,f=requestAnimationFrame,n=${FRAMES},${go},${wait};if(${kept}||${answered})d.documentElement.className="typeset",${font};${start}}`
}
