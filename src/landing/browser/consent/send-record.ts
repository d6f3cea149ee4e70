import { CONSENT_PATH, UNSENT_RECORDS } from '#contract/consent-choice.ts'
import type { ConsentRecord } from '#contract/consent-record.ts'

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 300_000

/** Used if the browser has no storage, or a full one. */
let inMemory: string[] = []
let isSending = false

/**
 * Sends a record until the server acknowledges it, with growing delays, and again from the next page. Without a record
 * the visitor's conversions would be withheld for as long as the cookie lives. The server stores a repeated record
 * once.
 */
export function sendRecord(record: ConsentRecord): void {
  write([...read(), JSON.stringify(record)])
  sendUnsentRecords()
}

/** Sends what an earlier page could not. */
export function sendUnsentRecords(): void {
  if (isSending || read().length === 0) return
  isSending = true
  void sendAll()
}

/** In the order in which they were made: the newest record decides what may be sent to vendors. */
async function sendAll(): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  for (let body = read()[0]; body !== undefined; body = read()[0]) {
    if (await isAcknowledged(body)) {
      write(read().filter((other) => other !== body))
      waitMs = FIRST_WAIT_MS
      continue
    }
    const spread = 1 + Math.random()
    await new Promise((resolve) => setTimeout(resolve, waitMs * spread))
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
  }
  isSending = false
}

/** True also if the server cannot read the record. Any other refusal may end: a limit, an outage, a wrong proxy. */
async function isAcknowledged(body: string): Promise<boolean> {
  try {
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(CONSENT_PATH, { method: 'POST', headers, body, keepalive: true })
    return status < 300 || status === 400
  } catch {
    return false
  }
}

function read(): string[] {
  try {
    const stored = localStorage[UNSENT_RECORDS]
    return stored === undefined ? inMemory : [].concat(JSON.parse(stored))
  } catch {
    return inMemory
  }
}

function write(bodies: string[]): void {
  inMemory = bodies
  try {
    if (bodies.length > 0) localStorage[UNSENT_RECORDS] = JSON.stringify(bodies)
    else localStorage.removeItem(UNSENT_RECORDS)
  } catch {
    // Then only this page repeats them.
  }
}
