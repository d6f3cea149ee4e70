import { type FrameMessage, framePath } from '#contract/isolated-frame.ts'
import type { TagReport } from '#contract/tag-report.ts'
import { readConsentCookie } from '#landing/browser/shared/consent-cookie.ts'
import { whenIdle } from '#landing/browser/shared/page.ts'
import { sendReport } from '../observe.ts'
import type { TagRun } from '../run-tags.ts'
import type { Conversion } from '../start-tags.ts'
import { FrameElement, guardFocus, refuseMessages, storeJar } from './frame-element.ts'
import { OutboundClickHold } from './outbound-click.ts'

/** Passes a conversion on to every room; `isTold` when vendors in the page were told of it. */
export type TellFrames = (conversion: Conversion, isTold: boolean) => void

/** About what a frame costs a page on a slow device. */
const OPEN_MS = 12

const rooms = new Map<string, FrameElement>()

const closed: FrameElement[] = []

let told: FrameConversions | undefined

let departure: OutboundClickHold | undefined

/** Opens a room for each isolated tag that has none yet, when the page is idle. It may be called again. */
export function openIsolatedFrames(
  version: string,
  runs: ReadonlyMap<string, TagRun>,
  onReport: () => void,
): TellFrames {
  if (told === undefined) {
    told = new FrameConversions((conversion) => sendReport({ set: version, results: [], conversion }))
    departure = new OutboundClickHold()
    guardFocus((element) => [...rooms.values()].find(({ frame }) => frame === element))
    refuseMessages(() => rooms.values())
  }
  const conversions = told
  const message = (received: FrameMessage, room: FrameElement) => {
    if (mayStay(room)) take(received, room, conversions, onReport)
  }
  for (const run of runs.values()) {
    if (!run.tag.room || rooms.has(run.tag.id)) continue
    const room = new FrameElement(run, { message, end: onReport })
    rooms.set(run.tag.id, room)
    closed.push(room)
    whenIdle(openSome)
  }
  return (conversion, isTold) => {
    conversions.asks(conversion, isTold)
    const asked = [...rooms].filter(([, room]) => mayStay(room) && room.tell(conversion))
    departure?.asked(
      conversion.id,
      asked.map(([id]) => id),
    )
  }
}

/** As many as the idle moment has time for: rooms that come together are laid out and painted together. */
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
    departure?.answered(message.id, id)
  } else if (!run.inRoom?.isFinal) {
    const { report } = message
    run.note(report.result.outcome)
    run.inRoom = {
      ...report,
      result: { ...report.result, id },
      // The server knows whose path it is.
      stopped: report.stopped.map((stopped) => ({ ...stopped, source: framePath(room) })),
    }
    onReport()
  }
}

/** Consent may have been taken back in another window: a room is removed at once, the page only with its reload. */
function mayStay(room: FrameElement): boolean {
  const isGranted = readConsentCookie()?.granted.includes(room.run.tag.category) ?? false
  if (!isGranted) room.remove()
  return isGranted
}

const GATHER_MS = 300

/** Which rooms said that their vendor was told; those that nobody was asked about say nothing. */
export class FrameConversions {
  readonly #asked = new Map<string, { name: Conversion['name']; isTold: boolean; ids: Set<string> }>()
  readonly #waiting = new Set<string>()
  readonly #report: (conversion: NonNullable<TagReport['conversion']>) => void

  constructor(report: (conversion: NonNullable<TagReport['conversion']>) => void) {
    this.#report = report
    addEventListener('pagehide', () => this.#tell())
  }

  readonly asks = ({ name, id }: Conversion, isTold: boolean): void => {
    this.#asked.set(id, { name, isTold, ids: new Set() })
  }

  answered(id: string, pixelId: string): void {
    const asked = this.#asked.get(id)
    if (asked === undefined || asked.ids.has(pixelId)) return
    asked.ids.add(pixelId)
    if (this.#waiting.size === 0) setTimeout(() => this.#tell(), GATHER_MS)
    this.#waiting.add(id)
  }

  #tell(): void {
    for (const id of this.#waiting) {
      const asked = this.#asked.get(id)
      if (asked === undefined) continue
      const { name, isTold, ids } = asked
      this.#report({ name, ids: [...ids], ...(isTold && { is_more: true }) })
      // Whoever answers later is told apart, of the same thing done.
      this.#asked.set(id, { name, isTold: true, ids })
    }
    this.#waiting.clear()
  }
}
