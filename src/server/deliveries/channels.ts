import type { PixelKind } from '../db/delivery-schema.ts'
import { googleAnalyticsChannel } from './destinations/google-analytics.ts'
import { metaChannel } from './destinations/meta.ts'
import { webhookChannel } from './destinations/webhook.ts'
import type { Channel } from './job.ts'

export const CHANNELS: Readonly<Record<PixelKind, Channel>> = {
  meta: metaChannel,
  google_analytics: googleAnalyticsChannel,
  webhook: webhookChannel,
}
