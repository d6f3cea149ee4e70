// Separate from `document.tsx`: the server hashes this script for its policy, and Node runs no TSX.
import { CONSENT_COOKIE } from '#contract/consent-choice.ts'
import { KEPT_TIMING } from '#contract/site.ts'

/** Not every browser reports a first paint: Firefox does not for a scrolled page, nor with resistFingerprinting. */
const FRAMES = 9

/** A page in the background gets no frames. */
const GIVE_UP_MS = 3_000

/**
 * The one script inside the page. It requests the boot script and the typeface once the whole page was drawn, so that
 * they delay nothing visible. The typeface then waits in the browser's cache for the next visit, which uses it from the
 * first frame on (class `typeset`, styles/after-first-frame.css). An earlier visit is recognised by a cached page
 * (`KEPT_TIMING`) or an answered cookie banner. The second also works after the page has changed, and in a browser that
 * does not cache the page.
 *
 * Inline, so that the policy can name the script by its hash: `'strict-dynamic'` extends the trust in that hash.
 */
export function bootLoader(bootScript: string): string {
  // One file with every weight. Without it the page keeps the device's font.
  const font = `d.fonts.load("1em Instrument Sans").catch(()=>0)`
  // An element, not `import()`, which `'strict-dynamic'` refuses as parser-inserted.
  const script = `Object.assign(d.createElement("script"),{type:"module",src:${JSON.stringify(bootScript)}})`
  const kept = `performance.getEntriesByType("navigation")[0]?.serverTiming?.[0]?.name==${JSON.stringify(KEPT_TIMING)}`
  const answered = `d.cookie.match(${JSON.stringify(CONSENT_COOKIE)})`
  const drawn = `performance.getEntriesByName("first-contentful-paint")[0]`
  const go = `go=()=>{go=()=>0;d.head.append(${script});${font}}`
  // What was drawn before the end of the page may be a part of it: hence two more frames.
  const wait = `w=()=>${drawn}||!n--?go():f(w)`
  // Not `load`, which waits for a typeface requested before the first frame.
  const start = `d.addEventListener("DOMContentLoaded",()=>{f(()=>f(w));setTimeout(()=>go(),${GIVE_UP_MS})})`
  return `{let d=document,f=requestAnimationFrame,n=${FRAMES},${go},${wait};if(${kept}||${answered})d.documentElement.className="typeset",${font};${start}}`
}
