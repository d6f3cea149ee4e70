import type { PixelDelivery } from '#contract/pixel.ts'
import type { BlockedHost } from '#contract/tag-status.ts'
import type { TestState, TestStep, TestVerdict } from '#contract/tag-test.ts'
import { judgeTestCopies, withCopies } from './judge-copies-of-test.ts'
import { TEST_WORDS } from './test-words.ts'

interface TestInput {
  state: TestState
  delivery: PixelDelivery
  /** The server waits for an answer of the vendor. */
  awaitsCopies: boolean
  steps: readonly TestStep[]
  subject: {
    vendorName: string
    /** Where the vendor writes the account's ID into the address of its page view, that ID. */
    visibleId: string | null
    /** The catalogue says where its page view goes. */
    hasPageView: boolean
    /** Why its ID cannot be one of its vendor. */
    idFault: string | null
    /** What our policy stopped of this pixel, as reports have it: what can be permitted. */
    blocked: readonly BlockedHost[]
  }
}

/**
 * What a test showed, the worst first, by the rules of docs/evidence.md. A single visit is judged, with the person at the
 * browser: what a blocker did here is said of this browser and of no other.
 */
export function judgeTest(input: TestInput): TestVerdict {
  const { delivery, steps, subject, awaitsCopies } = input
  const copies = judgeTestCopies(steps, subject.vendorName, awaitsCopies)
  const isOver = input.state === 'done' || input.state === 'left'
  if (subject.idFault !== null && isOver) return TEST_WORDS.impossibleId(subject.idFault)
  if (delivery !== 'server') return withCopies(judgeVisit(input), copies)
  const isAllowed = steps.findLast(({ kind }) => kind === 'chosen')?.ok === true
  if (!isAllowed) return judgeVisit(input)
  return copies ?? TEST_WORDS.copyUnsent('O servidor parou antes de responder. Teste de novo.')
}

function judgeVisit({ state, steps, subject }: TestInput): TestVerdict {
  if (state === 'waiting') return TEST_WORDS.waiting()
  if (state === 'expired') return TEST_WORDS.expired()
  const { vendorName, visibleId, hasPageView } = subject
  const choice = steps.findLast(({ kind }) => kind === 'chosen')
  if (choice?.ok === false) return TEST_WORDS.refused()
  if (choice === undefined) return state === 'left' ? TEST_WORDS.leftEarly() : TEST_WORDS.asking()
  const stopped = steps.find(({ kind, host }) => kind === 'stopped' && host !== undefined)
  const error = steps.find(({ kind }) => kind === 'error')
  const missing = steps.find(({ kind, ok }) => (kind === 'script' || kind === 'file') && ok === false)
  const hits = steps.filter(({ kind, ok }) => kind === 'request' && ok === true)
  const answered = hits.some(({ verdict }) => verdict === 'answered')
  const isProved = answered || hits.some(({ verdict }) => verdict === 'sent')
  if (stopped?.host !== undefined) {
    const known = subject.blocked.find(({ host }) => host === stopped.host)
    return TEST_WORDS.stopped(vendorName, stopped.host, { isProved, known })
  }
  if (error !== undefined) return TEST_WORDS.error(error.text ?? null, isProved)
  if (missing !== undefined) return TEST_WORDS.missing(missing.host ?? null, isProved)
  if (state === 'open') return TEST_WORDS.running(vendorName)
  if (state === 'left') return TEST_WORDS.leftEarly()
  if (hits.length > 0 && hits.every(({ verdict }) => verdict === 'failed'))
    return TEST_WORDS.notOut(vendorName)
  const settled = steps.findLast(({ kind }) => kind === 'settled')
  if (settled?.ok === false) return TEST_WORDS.nothingSent(vendorName, visibleId)
  if (!hasPageView) return TEST_WORDS.unknownVendor()
  if (hits.length === 0) return TEST_WORDS.notSeen(vendorName, visibleId)
  if (visibleId === null) return TEST_WORDS.showsNoId(vendorName)
  if (!isProved) return TEST_WORDS.unconfirmed(vendorName, visibleId)
  return TEST_WORDS.working(vendorName, answered)
}
