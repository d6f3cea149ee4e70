import type { PixelKind } from '#server/db/schema/outbox.ts'
import type { Channel } from './destination.ts'
import { googleAnalyticsChannel } from './google-analytics.ts'
import { metaChannel } from './meta.ts'
import { webhookChannel } from './webhook.ts'

export const CHANNELS: Readonly<Record<PixelKind, Channel>> = {
  meta: metaChannel,
  google_analytics: googleAnalyticsChannel,
  webhook: webhookChannel,
}
