import type { PixelType } from '#contract/pixel.ts'
import type { Db } from '../db/database.ts'
import type { PixelKind } from '../db/delivery-schema.ts'
import type { SecretPort } from '../db/secret-port.ts'
import type { Target } from './job.ts'

export interface TargetDeps {
  db: Db
  secrets: SecretPort
  siteUrl: string
  graphVersion: string
}

export const PIXEL_KINDS: Partial<Record<PixelType, PixelKind>> = {
  meta: 'meta',
  google_analytics: 'google_analytics',
  custom: 'webhook',
}

/** Null when the pixel cannot be sent for: none of its kind, deleted, or without its secret. */
export async function readTarget(
  { db, secrets, siteUrl, graphVersion }: TargetDeps,
  pixelId: string,
): Promise<Target | null> {
  const pixel = await db
    .selectFrom('tracking_pixels as pixel')
    .innerJoin('pixel_secrets as secret', 'secret.pixel_id', 'pixel.id')
    .select(['pixel.type', 'pixel.pixel_id', 'pixel.webhook_url', 'pixel.send_hashed_email', 'secret.value'])
    .where('pixel.id', '=', pixelId)
    .where('pixel.deleted_at', 'is', null)
    .executeTakeFirst()
  const kind = pixel === undefined ? undefined : PIXEL_KINDS[pixel.type]
  if (pixel === undefined || kind === undefined) return null
  if (kind === 'webhook' && pixel.webhook_url === null) return null
  return {
    kind,
    account: pixel.pixel_id ?? '',
    secret: await secrets.open({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value),
    webhookUrl: pixel.webhook_url,
    sendsEmail: pixel.send_hashed_email,
    siteUrl,
    graphVersion,
  }
}
