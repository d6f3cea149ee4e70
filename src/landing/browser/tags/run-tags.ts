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
import type { Conversion } from './watch-conversions.ts'

export { deleteLeftovers } from './clean-up.ts'

/** Tags of this page that have started: a second choice starts only what the first did not. */
const runs = new Map<string, TagRun>()

let watch: ReturnType<typeof watchRuns> | null = null

let frames: Promise<TellFrames> | undefined

/**
 * Starts every tag of the granted categories in order, each on its own: a tag that waits, throws or is blocked delays
 * no other. Returns the function that passes conversions to them.
 */
export async function runTags(
  version: string,
  allowed: readonly ConsentCategory[],
): Promise<(conversion: Conversion) => void> {
  const { tags, told: sentByServer } = (await import(/* @vite-ignore */ tagPath(version))) as TagManifest
  if (watch === null) {
    watch = watchRuns(version, runs)
    cleanUpAfter(running)
    // Once per page. The server checks the choice itself.
    if (sentByServer) sendEvent({ name: 'page_view' })
  }
  void import('../shared/app-links.ts').then((part) => part.carryVisit(allowed))
  for (const tag of tags) {
    if (runs.has(tag.id) || !allowed.includes(tag.category)) continue
    const run = new TagRun(tag)
    runs.set(tag.id, run)
    if (tag.room) frames = openIsolatedFrames(version, watch.settled)
    else void runSteps(tag, run).then(watch.settled)
  }
  return (conversion) => {
    if (sentByServer) sendEvent(conversion)
    const ids = deliverConversion(conversion, running())
    if (ids[0]) sendReport({ set: version, results: [], conversion: { name: conversion.name, ids } })
    void frames?.then((tell) => tell(conversion))
  }
}

const running = () => [...runs.values()].map(({ tag }) => tag)

/** Loaded on demand: most pages have no isolated tag. */
const openIsolatedFrames = (version: string, settled: () => void) =>
  import('./isolated/frames.ts').then((part) => part.openIsolatedFrames(version, runs, settled))

async function runSteps(tag: ManifestTag, run: TagRun): Promise<void> {
  for (const step of tag.steps) await runStep(step, run)
  run.note('ran')
}

/** DOM event that custom tags may listen to. */
const CUSTOM_EVENT = 'portico:event'

/**
 * Passes a conversion to every running vendor, each call once: a vendor's library passes it to all its IDs. Returns the
 * tags whose vendor's function existed.
 */
export function deliverConversion({ name, id }: Conversion, running: readonly ManifestTag[]): string[] {
  const made = new Map<string, boolean>()
  const delivered = running.filter(({ conversions }) => {
    const calls = conversions?.[name] ?? []
    return calls.map((call) => makeOnce(call, id, made)).includes(true)
  })
  if (running.some(({ type }) => type === 'custom')) {
    document.dispatchEvent(new CustomEvent(CUSTOM_EVENT, { detail: { event: name, event_id: id } }))
  }
  return delivered.map((tag) => tag.id)
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

type Methods = { [name: string]: Methods | (() => void) }

/** A vendor's function that throws must not affect the others. */
export function makeCall(path: string, args: unknown[]): boolean {
  // Google's commands must be an `arguments` object, whatever a snippet made of its function.
  if (path === 'gtag') {
    gtag(...args)
    return true
  }
  const names = path.split('.')
  const method = names.pop() ?? ''
  try {
    const owner = names.reduce((object, name) => object[name] as Methods, window as unknown as Methods)
    // Also throws if there is no such function.
    Reflect.apply(owner[method] as () => void, owner, args)
    return true
  } catch {
    return false
  }
}

/** After this, the next steps run without the vendor's file, as in any page. */
const VENDOR_TIMEOUT_MS = 10_000

/**
 * Runs one step of a tag. Our own files keep their order among all tags (`async = false`: only this server could delay
 * them). A vendor's file is outside of that order, and only the next step of its own tag waits for it.
 */
export async function runStep(step: TagStep, run: TagRun): Promise<void> {
  if (step.kind === 'image') {
    // No `onerror`: a response without an image (204 is common) is an error too. Violations of the policy are observed
    // elsewhere.
    new Image().src = step.src
    return
  }
  const isOwn = step.kind === 'own'
  const script = document.createElement('script')
  for (const [name, value] of Object.entries(step.attributes)) script.setAttribute(name, value)
  script.src = step.src
  script.async = !isOwn
  const done = new Promise<unknown>((resolve) => {
    script.onload = resolve
    script.onerror = (event) => {
      // Vendors' files are judged where all scripts are observed.
      if (isOwn) run.note('blocked')
      resolve(event)
    }
    if (!isOwn) setTimeout(resolve, VENDOR_TIMEOUT_MS)
  })
  document.head.append(script)
  if (isOwn || step.wait) await done
}

/** Posts an event to our server, which sends it to the vendors. It takes path and campaign from the page's address. */
export function sendEvent(event: Pick<ServerEvent, 'name' | 'id'>): void {
  sendJson(EVENTS_PATH, { ...event, path: location.href } satisfies ServerEvent)
}

/** From good to bad: worse results replace better ones. */
const ORDER: readonly (TagOutcome | null)[] = [null, 'ran', 'failed', 'blocked', 'stopped']

/** The result of one tag on this page. */
export class TagRun {
  readonly tag: ManifestTag
  outcome: TagOutcome | null = null
  isReported = false
  error: string | undefined
  /** What its isolated frame reported, if it has one. */
  inFrame: FrameReport | undefined

  constructor(tag: ManifestTag) {
    this.tag = tag
  }

  note(outcome: TagOutcome, error?: string): void {
    if (ORDER.indexOf(outcome) <= ORDER.indexOf(this.outcome)) return
    this.outcome = outcome
    this.error = error
  }

  /** True for the address of a script or image that a step of the tag loads. */
  loads(address: string): boolean {
    return this.tag.steps.some(({ src }) => src === address)
  }

  owns(file: string): boolean {
    return this.tag.steps.some((step) => step.kind === 'own' && file.endsWith(step.src))
  }
}
