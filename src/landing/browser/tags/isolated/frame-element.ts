import { campaignForTag } from '#contract/click-ids.ts'
import {
  FRAME_MESSAGE_MAX_LENGTH,
  FRAME_REMOVALS,
  type FrameMessage,
  framePath,
  type Jar,
  jarKey,
  type PageMessage,
} from '#contract/isolated-frame.ts'
import type { ConversionCall } from '#contract/tag-manifest.ts'
import type { TagOutcome } from '#contract/tag-report.ts'
import type { TagRun } from '../run-tags.ts'
import type { Conversion } from '../watch-conversions.ts'
import { readFrameMessage } from './messages.ts'

/**
 * In Chromium a hidden frame can take the keyboard, and neither `inert` nor its permissions policy keeps it from that.
 * Whichever does is removed, and the keyboard goes back to where it was: giving it back alone loses every key of a loop.
 */
export function guardFocus(frameOf: (element: Element | null) => FrameElement | undefined): void {
  let last = document.activeElement
  const check = () => {
    const thief = frameOf(document.activeElement)
    if (thief === undefined) {
      if (document.activeElement !== document.body) last = document.activeElement ?? last
      return
    }
    thief.end('failed', FRAME_REMOVALS.focus)
    ;(last as HTMLElement | null)?.focus?.({ preventScroll: true })
  }
  addEventListener('focusin', check, true)
  addEventListener('blur', () => {
    check()
    // Firefox names the frame only after the event.
    setTimeout(check)
  })
}

/** A frame's own script sends a handful; a frame that sends more than this per second is removed. */
const MAX_MESSAGES = 40

const WINDOW_MS = 1_000

/** `visibility` removes it from pointer, tab order and accessibility tree; off-screen or transparent would not. */
const STYLE =
  'position:absolute;top:0;left:0;width:1px;height:1px;border:0;visibility:hidden;pointer-events:none'

/** The frame of one isolated tag. */
export class FrameElement {
  readonly run: TagRun
  readonly frame = document.createElement('iframe')
  readonly #calls: ConversionCall[]
  readonly #onEnd: () => void
  readonly #onMessage: (message: FrameMessage, frame: FrameElement) => void
  // Read before the first frame is added: later, each read would cause a layout.
  readonly #size = { width: innerWidth, height: innerHeight }
  #early: Conversion[] | null = []
  #messages = 0
  #since = 0

  constructor(
    run: TagRun,
    on: { message: (message: FrameMessage, frame: FrameElement) => void; end: () => void },
    calls: ConversionCall[] = [],
  ) {
    this.run = run
    this.#onEnd = on.end
    this.#onMessage = on.message
    this.#calls = calls
  }

  open(): void {
    const { frame } = this
    frame.sandbox.add('allow-scripts')
    frame.referrerPolicy = 'no-referrer'
    frame.tabIndex = -1
    frame.inert = true
    frame.title = 'Medição'
    frame.setAttribute('aria-hidden', 'true')
    frame.style.cssText = STYLE
    frame.src =
      framePath(this.run.tag.room ?? '') +
      location.pathname.slice(1) +
      campaignForTag(location.search, this.run.tag.hosts)
    let isLoaded = false
    frame.addEventListener('load', () => {
      // It may only show its own document.
      if (isLoaded) this.end('failed', FRAME_REMOVALS.document)
      else this.#start()
      isLoaded = true
    })
    document.body.append(frame)
  }

  #start(): void {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => this.#take(data)
    this.#post(
      {
        portico: 'start',
        jar: readJar(this.run.tag.id),
        referrer: document.referrer,
        title: document.title,
        ...this.#size,
        calls: this.#calls,
      },
      [port2],
    )
    const early = this.#early ?? []
    this.#early = null
    for (const conversion of early) this.tell(conversion)
  }

  /**
   * Synchronous, in the click's own task: a later message is lost when the visitor leaves. Returns false if no answer
   * can come.
   */
  tell({ name, id }: Conversion): boolean {
    if (this.#early === null) this.#post({ portico: 'conversion', name, id })
    else this.#early.push({ name, id })
    return this.#early === null && this.frame.isConnected
  }

  /** An opaque origin cannot be named, so messages are bound to the window itself. */
  #post(message: PageMessage, transfer: Transferable[] = []): void {
    this.frame.contentWindow?.postMessage(message, '*', transfer)
  }

  /** A message of the frame's own script by its port. */
  #take(data: unknown): void {
    if (!this.frame.isConnected || this.#isFlooding()) return
    if (typeof data !== 'string' || data.length > FRAME_MESSAGE_MAX_LENGTH) return
    const message = readFrameMessage(JSON.parse(data))
    if (message !== null) this.#onMessage(message, this)
  }

  /** The tag wrote to the page itself, from this window or a nested one. Such messages are not read. */
  refuse(isNested: boolean): void {
    if (isNested) this.end('failed', FRAME_REMOVALS.nested)
    else this.#isFlooding()
  }

  #isFlooding(): boolean {
    const now = performance.now()
    if (now - this.#since > WINDOW_MS) {
      this.#since = now
      this.#messages = 0
    }
    this.#messages += 1
    if (this.#messages <= MAX_MESSAGES) return false
    this.end('failed', FRAME_REMOVALS.flood)
    return true
  }

  /** Removes it and reports why. */
  end(outcome: TagOutcome, error: string): void {
    this.remove()
    const { run } = this
    run.note(outcome, error)
    run.inFrame = {
      hosts: run.inFrame?.hosts,
      stopped: run.inFrame?.stopped ?? [],
      result: { id: run.tag.id, outcome, error },
      isFinal: true,
    }
    this.#onEnd()
  }

  remove(): void {
    this.frame.remove()
  }
}

/**
 * Hides messages of tags in isolated frames from the page's listeners, unread: reading costs up to half a second for
 * fifty thousand objects. A nested frame has no reason to write, and its first message removes the isolated frame.
 */
export function refuseMessages(frames: () => Iterable<FrameElement>): void {
  // Before all other listeners.
  addEventListener(
    'message',
    (event) => {
      const source = event.source as Window | null
      // From a removed frame, or a frame inside it: only those have an opaque origin and no window.
      if (event.isTrusted && event.origin === 'null' && (source === null || source.closed))
        event.stopImmediatePropagation()
      // The page is its own parent, and a port or worker has none.
      for (let view = source; view && view !== view.parent; view = view.parent) {
        const frame = [...frames()].find(({ frame }) => frame.contentWindow === view)
        if (frame === undefined) continue
        event.stopImmediatePropagation()
        return frame.refuse(view !== source)
      }
    },
    true,
  )
}

/**
 * The stored data of an isolated tag. The page does not read it; it is deleted with the consent, by its key in the
 * manifest.
 */
function readJar(pixelId: string): Jar {
  const read = (area: () => Storage) => attempt(() => area()[jarKey(pixelId)]) ?? ''
  return { local: read(() => localStorage), session: read(() => sessionStorage) }
}

export function storeJar(pixelId: string, { local, session }: Jar): void {
  attempt(() => localStorage.setItem(jarKey(pixelId), local))
  attempt(() => sessionStorage.setItem(jarKey(pixelId), session))
}

/** Storage may be forbidden or full: then nothing is kept. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
