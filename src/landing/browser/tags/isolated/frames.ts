import { type FrameMessage, framePath } from '#contract/isolated-frame.ts'
import type { TagReport } from '#contract/tag-report.ts'
import { readConsentCookie } from '#landing/browser/shared/consent-cookie.ts'
import { whenIdle } from '#landing/browser/shared/page.ts'
import { sendReport } from '../observe.ts'
import type { TagRun } from '../run-tags.ts'
import type { Conversion } from '../watch-conversions.ts'
import { FrameElement, guardFocus, refuseMessages, storeJar } from './frame-element.ts'
import { OutboundClickHold } from './outbound-click.ts'

/** Passes a conversion on to every isolated frame. */
export type TellFrames = (conversion: Conversion) => void

/** About what a frame costs on a slow device. */
const OPEN_MS = 12

const frames = new Map<string, FrameElement>()

const closed: FrameElement[] = []

let frameConversions: FrameConversions | undefined

let outboundClicks: OutboundClickHold | undefined

/** Opens a frame for each isolated tag that has none, when the page is idle. It may be called again. */
export function openIsolatedFrames(
  version: string,
  runs: ReadonlyMap<string, TagRun>,
  onReport: () => void,
): TellFrames {
  if (frameConversions === undefined) {
    frameConversions = new FrameConversions((conversion) =>
      sendReport({ set: version, results: [], conversion }),
    )
    outboundClicks = new OutboundClickHold()
    guardFocus((element) => [...frames.values()].find(({ frame }) => frame === element))
    refuseMessages(() => frames.values())
  }
  const conversions = frameConversions
  const message = (received: FrameMessage, frame: FrameElement) => {
    if (mayStay(frame)) take(received, frame, conversions, onReport)
  }
  for (const run of runs.values()) {
    if (!run.tag.room || frames.has(run.tag.id)) continue
    const frame = new FrameElement(run, { message, end: onReport })
    frames.set(run.tag.id, frame)
    closed.push(frame)
    whenIdle(openSome)
  }
  return (conversion) => {
    conversions.asks(conversion)
    const asked = [...frames].filter(([, frame]) => mayStay(frame) && frame.tell(conversion))
    outboundClicks?.asked(
      conversion.id,
      asked.map(([id]) => id),
    )
  }
}

/** As many as the idle period has time for: frames added together are laid out and painted together. */
function openSome(idle?: IdleDeadline): void {
  do closed.shift()?.open()
  while (closed.length > 0 && idle && idle.timeRemaining() > OPEN_MS)
}

function take(
  message: FrameMessage,
  { run }: FrameElement,
  conversions: FrameConversions,
  onReport: () => void,
): void {
  const { id, room = '' } = run.tag
  if (message.portico === 'jar') storeJar(id, message.jar)
  else if (message.portico === 'told' || message.portico === 'heard') {
    if (message.portico === 'told') conversions.answered(message.id, id)
    outboundClicks?.answered(message.id, id)
  } else if (!run.inFrame?.isFinal) {
    const { report } = message
    run.note(report.result.outcome)
    run.inFrame = {
      ...report,
      result: { ...report.result, id },
      // The server identifies the pixel by this path.
      stopped: report.stopped.map((stopped) => ({ ...stopped, source: framePath(room) })),
    }
    onReport()
  }
}

/**
 * Consent may have been withdrawn in another window: a frame is removed at once, the page's tags only with a reload.
 */
function mayStay(frame: FrameElement): boolean {
  const isGranted = readConsentCookie()?.granted.includes(frame.run.tag.category) ?? false
  if (!isGranted) frame.remove()
  return isGranted
}

const GATHER_MS = 300

/** Collects which frames passed a conversion to their vendor; unexpected answers are ignored. */
export class FrameConversions {
  readonly #asked = new Map<string, { name: Conversion['name']; ids: Set<string> }>()
  readonly #waiting = new Map<string, string[]>()
  readonly #report: (conversion: NonNullable<TagReport['conversion']>) => void

  constructor(report: (conversion: NonNullable<TagReport['conversion']>) => void) {
    this.#report = report
    addEventListener('pagehide', () => this.#tell())
  }

  readonly asks = ({ name, id }: Conversion): void => {
    this.#asked.set(id, { name, ids: new Set() })
  }

  answered(id: string, pixelId: string): void {
    const asked = this.#asked.get(id)
    if (asked === undefined || asked.ids.has(pixelId)) return
    asked.ids.add(pixelId)
    if (this.#waiting.size === 0) setTimeout(() => this.#tell(), GATHER_MS)
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), pixelId])
  }

  #tell(): void {
    for (const [id, ids] of this.#waiting) {
      const name = this.#asked.get(id)?.name
      if (name !== undefined) this.#report({ name, ids })
    }
    this.#waiting.clear()
  }
}
