import { TEST_TEXT_MAX_LENGTH, type TestStep } from '#contract/tag-test.ts'
import type { TagRun } from '../tags/tag-run.ts'

/** Tells of each file that came or did not, and of errors in the tag's code and in what it loaded. */
export function watchScripts(
  run: TagRun,
  isStopped: (address: string) => boolean,
  tell: (step: Omit<TestStep, 'at'>) => void,
): void {
  const tellOfScript = (src: string, ok: boolean) => {
    if (isStopped(src) || !URL.canParse(src)) return
    const { host, hostname, pathname } = new URL(src)
    if (host !== location.host) tell({ kind: 'script', host: hostname, ok })
    else if (run.owns(pathname)) tell({ kind: 'file', ok })
  }
  document.addEventListener(
    'load',
    ({ target }) => {
      if (target instanceof HTMLScriptElement) tellOfScript(target.src, true)
    },
    true,
  )
  addEventListener(
    'error',
    (event: Event) => {
      if (event instanceof ErrorEvent) {
        // A browser extension's own errors are in no file of a page.
        if (!event.filename.startsWith('http')) return
        const { host, hostname } = new URL(event.filename)
        if (host === location.host && !run.owns(event.filename)) return
        const text = event.message.slice(0, TEST_TEXT_MAX_LENGTH)
        tell({ kind: 'error', text, ...(host === location.host ? {} : { host: hostname }) })
      } else if (event.target instanceof HTMLScriptElement) {
        // The policy's own event may come a moment later.
        const { src } = event.target
        setTimeout(() => tellOfScript(src, false), 50)
      }
    },
    true,
  )
}
