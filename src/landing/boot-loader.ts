/**
 * Asks for the boot script once the first frame has been drawn: nothing that the visitor sees waits for it, and it takes
 * nothing from what draws the page. A browser that does not tell of its frames gets it after three seconds. Inline, so
 * that the policy can name it by its hash: under `'strict-dynamic'` trust starts from that hash and is passed on.
 */
export function bootLoader(bootScript: string): string {
  const append = `document.head.append(Object.assign(document.createElement("script"),{type:"module",src:${JSON.stringify(bootScript)}}))`
  return `{let go=()=>{go=()=>{};${append}};try{new PerformanceObserver(()=>go()).observe({type:"paint",buffered:true})}catch{}setTimeout(()=>go(),3e3)}`
}
