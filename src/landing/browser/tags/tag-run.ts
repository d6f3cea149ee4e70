import type { ManifestTag } from '#contract/tag-manifest.ts'
import type { TagOutcome } from '#contract/tag-report.ts'

/** What became of one tag on this page. */
export class TagRun {
  readonly tag: ManifestTag
  outcome: TagOutcome | null = null
  error: string | undefined

  constructor(tag: ManifestTag) {
    this.tag = tag
  }

  /** `blocked` outranks `failed`, which outranks `ran`. */
  block(): void {
    this.outcome = 'blocked'
  }

  fail(error: string): void {
    if (this.outcome === 'blocked') return
    this.outcome = 'failed'
    this.error = error
  }

  finish(): void {
    this.outcome ??= 'ran'
  }

  shows(image: string): boolean {
    return this.tag.steps.some((step) => step.kind === 'image' && step.src === image)
  }

  owns(file: string): boolean {
    return this.tag.steps.some((step) => step.kind === 'own' && file.endsWith(step.src))
  }
}
