import { CONVERSIONS } from '#contract/conversions.ts'
import {
  FRAME_MESSAGE_MAX_LENGTH,
  FRAME_TAG_ID,
  type FrameMessage,
  type FrameStep,
  type FrameTag,
  type PageMessage,
} from '#contract/isolated-frame.ts'
import { watchRuns } from '../tags/observe.ts'
import { deliverConversion, makeCall, runStep, TagRun } from '../tags/run-tags.ts'
import { installShim } from './storage-shim.ts'

/** The script of an isolated frame, which runs before its tag in an opaque origin. */
const page = parent

// From the address; the document itself has none.
const { origin } = location

const tag = JSON.parse(document.getElementById(FRAME_TAG_ID)?.textContent ?? '') as FrameTag

// Saved before the tag runs, which could replace them: only text of limited length leaves by the port.
const { stringify } = JSON

let send: (text: string) => void = () => {}

const post = (message: FrameMessage) => {
  const text = stringify(message)
  if (text.length <= FRAME_MESSAGE_MAX_LENGTH) send(text)
}

let isStarted = false

/** The page accepts reports of limited length only. */
const MAX_STOPPED = 20

addEventListener('message', (event) => {
  // The tag must not receive this message, and only the page may send it.
  if (event.source !== page || event.origin !== origin) return
  event.stopImmediatePropagation()
  const message = event.data as PageMessage
  if (message.portico === 'start' && !isStarted) {
    isStarted = true
    const [port] = event.ports
    if (port !== undefined) send = port.postMessage.bind(port)
    void start(message)
  } else if (message.portico === 'conversion' && isStarted && CONVERSIONS.includes(message.name)) {
    noteOutboundClick()
    const delivered = deliverConversion(message, [manifestTag])
    post({ portico: delivered.length > 0 ? 'told' : 'heard', id: message.id })
  }
})

/** The tag in the form of the page's own watchers: its code is this document. */
const manifestTag = {
  ...tag,
  steps: tag.steps.map((step) =>
    step.kind === 'own' ? { kind: step.kind, src: location.href, attributes: step.attributes } : step,
  ),
}

async function start(message: Extract<PageMessage, { portico: 'start' }>): Promise<void> {
  installShim(message, (jar) => post({ portico: 'jar', jar }))
  outlivePage()
  const run = new TagRun(manifestTag)
  const watch = watchRuns('', new Map([[tag.id, run]]), ({ results, hosts, stopped = [], sees_all }) => {
    const [result] = results
    if (result === undefined) return
    const report = { result, hosts, stopped: stopped.slice(0, MAX_STOPPED), sees_all, isFinal: true }
    post({ portico: 'report', report })
  })
  for (const { call, args } of message.calls) makeCall(call, args)
  for (const step of tag.steps) await runFrameStep(step, run)
  run.note('ran')
  // For a page that is left before there is more to report.
  const result = { id: tag.id, outcome: run.outcome ?? 'ran', error: run.error }
  post({ portico: 'report', report: { result, stopped: [], isFinal: false } })
  watch.settled()
}

/** Larger bodies do not fit together into the browsers' keepalive limit (64 KB). */
const MAX_BODY_LENGTH = 8_000

/** A conversion click often leads away. */
const DEPARTURE_MS = 2_000

let departsUntil = 0

/** The visitor may be leaving from here on. */
function noteOutboundClick(): void {
  departsUntil = performance.now() + DEPARTURE_MS
}

/**
 * Lets the tag's requests finish after the page is left: small requests use keepalive, and invisible images around a
 * conversion are sent as such requests. Otherwise browsers cancel both; Firefox loses nearly every image.
 */
function outlivePage(): void {
  const send = window.fetch.bind(window)
  window.fetch = (input, init = {}) => {
    const isSmall =
      init.body === undefined ||
      init.body === null ||
      (typeof init.body === 'string' && init.body.length <= MAX_BODY_LENGTH)
    return send(input, isSmall && !(input instanceof Request) ? { keepalive: true, ...init } : init)
  }
  const { prototype } = HTMLImageElement
  const source = Object.getOwnPropertyDescriptor(prototype, 'src')
  if (!source?.set) return
  const { set } = source
  Object.defineProperty(prototype, 'src', {
    ...source,
    set(this: HTMLImageElement, address: string) {
      if (performance.now() > departsUntil || this.isConnected || !/^(https:)?\/\//.test(address)) {
        set.call(this, address)
        return
      }
      send(address, { mode: 'no-cors', credentials: 'include', keepalive: true }).then(
        () => this.dispatchEvent(new Event('load')),
        () => this.dispatchEvent(new Event('error')),
      )
    },
  })
}

/** Code of the tag runs when it is appended; nothing is loaded from us. */
async function runFrameStep(step: FrameStep, run: TagRun): Promise<void> {
  if (step.kind !== 'own') return runStep(step, run)
  const script = document.createElement('script')
  for (const [name, value] of Object.entries(step.attributes)) script.setAttribute(name, value)
  script.textContent = step.body
  document.head.append(script)
}
