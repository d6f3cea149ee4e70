import type { TagStep } from '#contract/tag-manifest.ts'
import type { TagRun } from './tag-run.ts'

/** After this, the following steps run without the vendor's file, as in any page. */
const VENDOR_TIMEOUT_MS = 10_000

/**
 * One step of a tag. Our own files keep their order among all tags (`async = false`: only this server could hold that
 * up). A vendor's file is outside that queue, and only the next step of its own tag waits for it.
 */
export async function runStep(step: TagStep, run: TagRun): Promise<void> {
  if (step.kind === 'image') {
    // No `onerror`: an answer without a picture (204 is usual) ends as an error too. What the policy stops is heard of.
    new Image().src = step.src
    return
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
  if (step.kind === 'own' || step.wait) await done
}
