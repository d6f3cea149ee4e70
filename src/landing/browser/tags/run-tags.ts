import type { ConsentCategory } from '#contract/consent.ts'
import { type ManifestTag, type TagManifest, tagPath } from '#contract/tag-manifest.ts'
import { cleanUpAfter } from './delete-leftovers.ts'
import { deliverConversion } from './deliver-conversion.ts'
import type { TellRooms } from './rooms/open-rooms.ts'
import { runStep } from './run-step.ts'
import { sendEvent } from './send-event.ts'
import { sendReport } from './send-report.ts'
import { TagRun } from './tag-run.ts'
import type { Conversion } from './watch-conversions.ts'
import { watchRuns } from './watch-runs.ts'

export { deleteLeftovers } from './delete-leftovers.ts'

/** Tags of this page that have started: a second choice starts only what the first did not. */
const runs = new Map<string, TagRun>()
let watch: ReturnType<typeof watchRuns> | null = null
let rooms: Promise<TellRooms> | undefined

/**
 * Starts every tag of the allowed categories, in their order, each on its own: a tag that waits for its vendor, throws
 * or is blocked holds up nobody. Returns how conversions reach them.
 */
export async function runTags(
  version: string,
  allowed: readonly ConsentCategory[],
): Promise<(conversion: Conversion) => void> {
  const { tags, told } = (await import(/* @vite-ignore */ tagPath(version))) as TagManifest
  if (watch === null) {
    watch = watchRuns(version, runs)
    cleanUpAfter(running)
    // Once for a page. Whether anybody may be told of it, the server knows from the choice itself.
    if (told) sendEvent({ name: 'page_view' })
  }
  for (const tag of tags) {
    if (runs.has(tag.id) || !allowed.includes(tag.category)) continue
    const run = new TagRun(tag)
    runs.set(tag.id, run)
    if (tag.room) rooms = openRooms(version, watch.settled)
    else void runSteps(tag, run).then(watch.settled)
  }
  return (conversion) => {
    if (told) sendEvent(conversion)
    const ids = deliverConversion(conversion, running())
    if (ids[0]) sendReport({ set: version, results: [], conversion: { name: conversion.name, ids } })
    void rooms?.then((tell) => tell(conversion, !!ids[0]))
  }
}

const running = () => [...runs.values()].map(({ tag }) => tag)

/** Only where there is one: most pages have none. */
const openRooms = (version: string, settled: () => void) =>
  import('./rooms/open-rooms.ts').then((part) => part.openRooms(version, runs, settled))

async function runSteps(tag: ManifestTag, run: TagRun): Promise<void> {
  for (const step of tag.steps) await runStep(step, run)
  run.note('ran')
}
