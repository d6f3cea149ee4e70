import type { TagStep } from '#contract/tag-manifest.ts'
import type { TagRun } from './tag-run.ts'

/** A vendor that has not answered by then is not coming, and what follows runs without it, as in any page. */
const VENDOR_TIMEOUT_MS = 10_000

/**
 * One step of a tag. Our own files keep their order among all tags (`async = false`: only this server could hold that
 * up). A vendor's file is outside that queue, and only the next step of its own tag waits for it.
 */
export function runStep(step: TagStep, run: TagRun): Promise<void> {
  if (step.kind === 'image') {
    // An error says nothing: a picture answered with 204, the oldest kind of beacon, is one.
    new Image().src = step.src
    return Promise.resolve()
  }
  const script = document.createElement('script')
  for (const [name, value] of Object.entries(step.attributes)) script.setAttribute(name, value)
  script.src = step.src
  script.async = step.kind === 'vendor'
  const done = new Promise<void>((resolve) => {
    script.onload = () => resolve()
    script.onerror = () => {
      // A vendor's file is judged where all scripts are heard.
      if (step.kind === 'own') run.note('blocked')
      resolve()
    }
    if (step.kind === 'vendor') setTimeout(resolve, VENDOR_TIMEOUT_MS)
  })
  document.head.append(script)
  return step.kind === 'own' || step.wait ? done : Promise.resolve()
}
