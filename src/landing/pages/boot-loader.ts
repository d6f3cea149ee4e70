import { KEPT_TIMING } from '#contract/site.ts'
import { TYPEFACE, TYPEFACE_CLASS } from '../styles/typeface.ts'

/**
 * Not every browser reports a first paint: Firefox does not when the page is painted scrolled, nor when it resists
 * fingerprinting.
 */
const FRAMES = 9
/** A page in the background gets no frames, and a file that hangs keeps `load` away. */
const GIVE_UP_MS = 3_000

/**
 * The one script inside the page. It asks for the boot script and the typeface once the whole page has been drawn for
 * the first time: nothing that the visitor sees waits for them, and they take nothing from what draws the page. A page
 * that comes out of the browser's cache (`contract/kept-page.ts`) has its typeface there too, and uses it from the first
 * frame on. Inline, so that the policy can name the script by its hash: under `'strict-dynamic'` trust starts from that
 * hash and is passed on.
 */
export function bootLoader(bootScript: string): string {
  // The boot script handles a typeface that cannot be loaded.
  const font = `d.fonts.load(${JSON.stringify(TYPEFACE)}).catch(()=>0)`
  // An element, not `import()`: that would count as written into the page, which `'strict-dynamic'` refuses.
  const script = `Object.assign(d.createElement("script"),{type:"module",src:${JSON.stringify(bootScript)}})`
  const kept = `performance.getEntriesByType("navigation")[0]?.serverTiming?.[0]?.name==${JSON.stringify(KEPT_TIMING)}`
  const apply = `d.documentElement.className=${JSON.stringify(TYPEFACE_CLASS)}`
  const drawn = `performance.getEntriesByName("first-contentful-paint")[0]`
  const go = `go=()=>{go=()=>0;d.head.append(${script});${font}}`
  // What was drawn before the page had come to its end may be a part of it: hence two frames more.
  const wait = `w=()=>${drawn}||!n--?go():f(w)`
  const start = `addEventListener("load",()=>f(()=>f(w)));d.addEventListener("DOMContentLoaded",()=>setTimeout(()=>go(),${GIVE_UP_MS}))`
  return `{let d=document,f=requestAnimationFrame,n=${FRAMES},${go},${wait};if(${kept})${apply},${font};${start}}`
}
