import type { DeliveryState } from '#contract/conversions.ts'

/** What an answer says, in words for the log of the dashboard. */
interface Said {
  /** `HTTP 400 · 100/2804003`, or why there was none: never an address, a header or what a visitor did. */
  answer: string
  /** Portuguese, with what to do. */
  message: string
}

/** What became of one request, and so of each event in it. */
export type Verdict =
  | (Said & {
      kind: 'settled'
      state: Extract<DeliveryState, 'accepted' | 'unconfirmed' | 'refused'>
      /** Of a refusal, as a code. */
      reason: string
    })
  /** Later; `afterMs` is what the vendor asked for. */
  | (Said & { kind: 'retry'; afterMs: number | null })
  /** Nothing will be taken until somebody mends something. */
  | (Said & { kind: 'stop'; code: string })
  /** One bad event refuses the whole request: the parts are sent apart. */
  | (Said & { kind: 'split'; reason: string })
  /** We are shutting down: it says nothing about the vendor. */
  | { kind: 'interrupted' }
