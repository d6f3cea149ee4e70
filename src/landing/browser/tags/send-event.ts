import type { ServerEvent } from '#contract/server-event.ts'
import { EVENTS_PATH } from '#contract/tag-report.ts'
import { sendJson } from './send-json.ts'

/** Tells our server, which tells the vendors. Of the address, which it knows since it served the page, it takes path and campaign. */
export function sendEvent(event: Pick<ServerEvent, 'name' | 'id'>): void {
  sendJson(EVENTS_PATH, { ...event, path: location.href } satisfies ServerEvent)
}
