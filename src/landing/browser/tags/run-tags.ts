import type { ConsentCategory } from '#contract/consent.ts'
import type { FrameReport } from '#contract/isolated-frame.ts'
import type { ServerEvent } from '#contract/server-event.ts'
import {
  type ConversionCall,
  type ManifestTag,
  type TagManifest,
  type TagStep,
  tagPath,
} from '#contract/tag-manifest.ts'
import { EVENTS_PATH, type TagOutcome } from '#contract/tag-report.ts'
import { gtag } from '../shared/page.ts'
import { cleanUpAfter } from './clean-up.ts'
import type { TellFrames } from './isolated/frames.ts'
import { sendJson, sendReport, watchRuns } from './observe.ts'
import type { Conversion } from './start-tags.ts'

export { deleteLeftovers } from './clean-up.ts'

/** Tags of this page that have started: a second choice starts only what the first did not. */
const runs = new Map<string, TagRun>()

let watch: ReturnType<typeof watchRuns> | null = null

let rooms: Promise<TellFrames> | undefined

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
    if (tag.room) rooms = openIsolatedFrames(version, watch.settled)
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
const openIsolatedFrames = (version: string, settled: () => void) =>
  import('./isolated/frames.ts').then((part) => part.openIsolatedFrames(version, runs, settled))

async function runSteps(tag: ManifestTag, run: TagRun): Promise<void> {
  for (const step of tag.steps) await runStep(step, run)
  run.note('ran')
}

/** Event of the DOM that a custom tag may listen to. */
const CUSTOM_EVENT = 'portico:event'

/**
 * Tells every vendor that runs, each call once: a vendor's library passes it on to all of its IDs by itself. Returns the
 * tags whose vendor was there to be told.
 */
export function deliverConversion({ name, id }: Conversion, running: readonly ManifestTag[]): string[] {
  const made = new Map<string, boolean>()
  const told = running.filter(({ conversions }) => {
    const calls = conversions?.[name] ?? []
    return calls.map((call) => makeOnce(call, id, made)).includes(true)
  })
  if (running.some(({ type }) => type === 'custom')) {
    document.dispatchEvent(new CustomEvent(CUSTOM_EVENT, { detail: { event: name, event_id: id } }))
  }
  return told.map((tag) => tag.id)
}

function makeOnce({ call, args }: ConversionCall, id: string, made: Map<string, boolean>): boolean {
  const text = JSON.stringify(args)
  const key = call + text
  let isMade = made.get(key)
  if (isMade === undefined) {
    isMade = makeCall(call, JSON.parse(text.replaceAll('$id', id)))
    made.set(key, isMade)
  }
  return isMade
}

/** A vendor's function that throws must not keep the others from being told. */
export function makeCall(path: string, args: unknown[]): boolean {
  // Google's commands must be an `arguments` object, whatever a snippet has made of its own function.
  if (path === 'gtag') {
    gtag(...args)
    return true
  }
  const names = path.split('.')
  const method = names.pop() ?? ''
  const owner = names.reduce<unknown>(
    (object, name) => (object as Record<string, unknown> | null)?.[name],
    window,
  )
  const found = (owner as Record<string, unknown> | null | undefined)?.[method]
  if (typeof found !== 'function') return false
  try {
    found.apply(owner, args)
    return true
  } catch {
    return false
  }
}

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

/** Tells our server, which tells the vendors. Of the address, which it knows since it served the page, it takes path and campaign. */
export function sendEvent(event: Pick<ServerEvent, 'name' | 'id'>): void {
  sendJson(EVENTS_PATH, { ...event, path: location.href } satisfies ServerEvent)
}

/** From good to bad: worse news replaces better. */
const ORDER: readonly (TagOutcome | null)[] = [null, 'ran', 'failed', 'blocked', 'stopped']

/** What became of one tag on this page. */
export class TagRun {
  readonly tag: ManifestTag
  outcome: TagOutcome | null = null
  isTold = false
  error: string | undefined
  /** What its room saw of it, where it runs in one. */
  inRoom: FrameReport | undefined

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
