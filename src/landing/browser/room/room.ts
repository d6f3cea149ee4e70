import { CONVERSIONS } from '#contract/conversions.ts'
import {
  type PageMessage,
  ROOM_MESSAGE_MAX_LENGTH,
  ROOM_TAG_ID,
  type RoomMessage,
  type RoomTag,
} from '#contract/isolated-frame.ts'
import { deliverConversion, makeCall } from '../tags/deliver-conversion.ts'
import { TagRun } from '../tags/tag-run.ts'
import { watchRuns } from '../tags/watch-runs.ts'
import { installShim } from './install-shim.ts'
import { noteDeparture, outlivePage } from './outlive-page.ts'
import { runRoomStep } from './run-room-step.ts'

/** The room's own script, before its tag: an opaque origin in which nothing of the page exists. */
const page = parent
// Of the address; the document itself has none.
const { origin } = location
const tag = JSON.parse(document.getElementById(ROOM_TAG_ID)?.textContent ?? '') as RoomTag
// Taken before the tag runs, which could replace either: all that ever leaves by the port is text of a bounded length.
const { stringify } = JSON
let send: (text: string) => void = () => {}
const post = (message: RoomMessage) => {
  const text = stringify(message)
  if (text.length <= ROOM_MESSAGE_MAX_LENGTH) send(text)
}
let isStarted = false
/** The page takes reports of some length only. */
const MAX_STOPPED = 20

addEventListener('message', (event) => {
  // The tag must not hear it, nor anybody but the page say it.
  if (event.source !== page || event.origin !== origin) return
  event.stopImmediatePropagation()
  const message = event.data as PageMessage
  if (message.portico === 'start' && !isStarted) {
    isStarted = true
    const [port] = event.ports
    if (port !== undefined) send = port.postMessage.bind(port)
    void start(message)
  } else if (message.portico === 'conversion' && isStarted && CONVERSIONS.includes(message.name)) {
    noteDeparture()
    const told = deliverConversion(message, [manifestTag])
    post({ portico: told.length > 0 ? 'told' : 'heard', id: message.id })
  }
})

/** As the page's own watchers know a tag: its code is this document. */
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
  for (const step of tag.steps) await runRoomStep(step, run)
  run.note('ran')
  // For a page that is left before there is more to say.
  const result = { id: tag.id, outcome: run.outcome ?? 'ran', error: run.error }
  post({ portico: 'report', report: { result, stopped: [], isFinal: false } })
  watch.settled()
}
