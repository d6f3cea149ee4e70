import { createHash } from 'node:crypto'
import type { ServerEventName } from '#contract/server-event.ts'
import type { Job } from '../job.ts'
import { pageAddress } from './page-address.ts'

const NAMES: Record<ServerEventName, { event_name: string; content_name?: string }> = {
  page_view: { event_name: 'PageView' },
  lead: { event_name: 'Lead', content_name: 'abrir_conta' },
  contact: { event_name: 'Contact', content_name: 'whatsapp' },
  // Meta's `Subscribe` is one that is paid for.
  sign_up: { event_name: 'CompleteRegistration', content_name: 'newsletter' },
}

/** An event as the Conversions API takes it. */
export function composeMetaEvent(
  { event, event_id, payload }: Job,
  siteUrl: string,
  sendsEmail: boolean,
): Record<string, unknown> {
  const { event_name, content_name } = NAMES[event]
  const { address, agent, fbp, fbc, visitor, email } = payload
  return {
    event_name,
    event_time: Math.floor(payload.at / 1000),
    event_id,
    action_source: 'website',
    event_source_url: pageAddress(siteUrl, payload),
    user_data: {
      ...(address === null ? {} : { client_ip_address: address }),
      ...(agent === null ? {} : { client_user_agent: agent }),
      ...(fbp === undefined ? {} : { fbp }),
      ...(fbc === undefined ? {} : { fbc }),
      external_id: [createHash('sha256').update(visitor.toLowerCase()).digest('hex')],
      ...(email === undefined || !sendsEmail ? {} : { em: [email] }),
    },
    ...(content_name === undefined ? {} : { custom_data: { content_name } }),
  }
}
