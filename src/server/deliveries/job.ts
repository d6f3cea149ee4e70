import type { ServerEventName } from '#contract/server-event.ts'
import type { EventPayload, PixelKind } from '../db/delivery-schema.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import type { Verdict } from './verdict.ts'

/** An event that this process has claimed. */
export interface Job {
  id: string
  pixel_id: string
  event_id: string
  event: ServerEventName
  consent_id: string
  category: string
  attempts: number
  created_at: string
  expires_at: string
  payload: EventPayload
}

/** Where a pixel's events go, and what with. */
export interface Target {
  kind: PixelKind
  /** The vendor's ID of the pixel. */
  account: string
  /** Never logged, shown or put into an error. */
  secret: string
  webhookUrl: string | null
  /** Whether it may be told the hash of an address: what was switched off since is not sent. */
  sendsEmail: boolean
  siteUrl: string
  graphVersion: string
}

export interface Request {
  url: string
  headers: Record<string, string>
  body: unknown
}

/** How one kind of destination is told. */
export interface Channel {
  /** Events in one request. */
  batch: number
  /** Requests at a time, in one round. */
  parallel: number
  /** The vendor counts twice what comes twice: what may have been written is never sent again. */
  atMostOnce: boolean
  send(client: OutgoingClient, target: Target, jobs: readonly Job[], signal: AbortSignal): Promise<Verdict>
}
