import type { ConsentCategory } from '#contract/consent.ts'
import type { PixelType } from '#contract/pixel.ts'
import { type ManifestTag, type TagManifest, tagPath } from '#contract/tag-manifest.ts'
import { deliverConversion } from './deliver-conversion.ts'
import { runStep } from './run-step.ts'
import { TagRun } from './tag-run.ts'
import type { Conversion } from './watch-conversions.ts'
import { watchRuns } from './watch-runs.ts'

/** Tags of this page that have started: a second choice starts only what the first did not. */
const runs = new Map<string, TagRun>()
const running = new Set<PixelType>()
let watch: ReturnType<typeof watchRuns> | null = null

/**
 * Starts every tag of the allowed categories, in their order, each on its own: a tag that waits for its vendor, throws
 * or is blocked delays no other. Returns how conversions reach them.
 */
export async function runTags(
  version: string,
  allowed: readonly ConsentCategory[],
): Promise<(conversion: Conversion) => void> {
  const { tags } = (await import(/* @vite-ignore */ tagPath(version))) as TagManifest
  watch ??= watchRuns(runs)
  for (const tag of tags) {
    if (runs.has(tag.id) || !allowed.includes(tag.category)) continue
    const run = new TagRun(tag)
    runs.set(tag.id, run)
    running.add(tag.type)
    void runSteps(tag, run).then(watch.settled)
  }
  return (conversion) => deliverConversion(conversion, running)
}

async function runSteps(tag: ManifestTag, run: TagRun): Promise<void> {
  for (const step of tag.steps) await runStep(step, run)
  run.finish()
}
