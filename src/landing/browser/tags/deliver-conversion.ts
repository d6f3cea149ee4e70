import type { PixelType } from '#contract/pixel.ts'
import type { ConversionName } from '../shared/announce-conversion.ts'
import { gtag } from '../shared/gtag.ts'
import type { Conversion } from './watch-conversions.ts'

/** Each vendor's own name for it. */
const META_EVENTS: Record<ConversionName, string> = { lead: 'Lead', contact: 'Contact', sign_up: 'Subscribe' }
const ANALYTICS_EVENTS: Record<ConversionName, string> = {
  lead: 'generate_lead',
  contact: 'contact',
  sign_up: 'sign_up',
}

/** Event of the DOM that a custom tag may listen to. */
const CUSTOM_EVENT = 'portico:event'

/**
 * Tells every kind of tag that runs, once each: a vendor's library passes it on to all of its IDs by itself. A container
 * hears Analytics' events too, so its own event has another name and is not counted twice.
 */
export function deliverConversion({ name, id }: Conversion, running: ReadonlySet<PixelType>): void {
  if (running.has('meta')) window.fbq?.('track', META_EVENTS[name], {}, { eventID: id })
  if (running.has('google_analytics')) {
    gtag('event', ANALYTICS_EVENTS[name], { event_id: id, transport_type: 'beacon' })
  }
  if (running.has('google_tag_manager')) {
    window.dataLayer?.push({ event: `site_${name}`, event_id: id })
  }
  if (running.has('custom')) {
    document.dispatchEvent(new CustomEvent(CUSTOM_EVENT, { detail: { event: name, event_id: id } }))
  }
}
