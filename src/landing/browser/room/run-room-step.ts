import type { RoomStep } from '#contract/isolated-frame.ts'
import { runStep } from '../tags/run-step.ts'
import type { TagRun } from '../tags/tag-run.ts'

/** Code of the tag runs where it is appended; nothing of it is loaded from us. */
export async function runRoomStep(step: RoomStep, run: TagRun): Promise<void> {
  if (step.kind !== 'own') return runStep(step, run)
  const script = document.createElement('script')
  for (const [name, value] of Object.entries(step.attributes)) script.setAttribute(name, value)
  script.textContent = step.body
  document.head.append(script)
}
