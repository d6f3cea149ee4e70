import type { RoomReport } from '#contract/isolated-frame.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { TagOutcome } from '#contract/tag-report.ts'

/** From good to bad: worse news replaces better. */
const ORDER: readonly (TagOutcome | null)[] = [null, 'ran', 'failed', 'blocked', 'stopped']

/** What became of one tag on this page. */
export class TagRun {
  readonly tag: ManifestTag
  outcome: TagOutcome | null = null
  isTold = false
  error: string | undefined
  /** What its room saw of it, where it runs in one. */
  inRoom: RoomReport | undefined

  constructor(tag: ManifestTag) {
    this.tag = tag
  }

  note(outcome: TagOutcome, error?: string): void {
    if (ORDER.indexOf(outcome) <= ORDER.indexOf(this.outcome)) return
    this.outcome = outcome
    this.error = error
  }

  /** True for the address of a script or picture that a step of the tag itself loads. */
  loads(address: string): boolean {
    return this.tag.steps.some(({ src }) => src === address)
  }

  owns(file: string): boolean {
    return this.tag.steps.some((step) => step.kind === 'own' && file.endsWith(step.src))
  }
}
