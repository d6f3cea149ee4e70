import type { DeliveryDraftInput } from '#contract/conversions.ts'
import { isAccessToken, type PixelType, SERVER_ID_PATTERNS } from '#contract/pixel.ts'
import { publicHostOf } from '#contract/public-host.ts'
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
  const pixel = await readRow(db, pixelId)
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

/** The same of what a form holds, by the rules of a save; null when it could not be sent for. */
export async function readDraftTarget(
  deps: TargetDeps,
  { id, type, pixel_id, access_token, webhook_url = null }: DeliveryDraftInput,
): Promise<Target | null> {
  const kind = PIXEL_KINDS[type]
  if (kind === undefined) return null
  const account = pixel_id?.trim() ?? ''
  if (SERVER_ID_PATTERNS[type]?.test(account) === false) return null
  if (kind === 'webhook' && (webhook_url === null || publicHostOf(webhook_url) === null)) return null
  const secret = access_token?.trim() || (await readSecret(deps, id, type))
  if (secret === null || !isAccessToken(type, secret)) return null
  const { siteUrl, graphVersion } = deps
  return { kind, account, secret, webhookUrl: webhook_url, sendsEmail: false, siteUrl, graphVersion }
}

/** The secret is the vendor's for which it was stored. */
async function readSecret(
  { db, secrets }: TargetDeps,
  pixelId: string | undefined,
  type: PixelType,
): Promise<string | null> {
  const pixel = pixelId === undefined ? undefined : await readRow(db, pixelId)
  if (pixelId === undefined || pixel?.type !== type) return null
  return secrets.open({ table: 'pixel_secrets', column: 'value', row: pixelId }, pixel.value)
}

function readRow(db: Db, pixelId: string) {
  return db
    .selectFrom('tracking_pixels as pixel')
    .innerJoin('pixel_secrets as secret', 'secret.pixel_id', 'pixel.id')
    .select(['pixel.type', 'pixel.pixel_id', 'pixel.webhook_url', 'pixel.send_hashed_email', 'secret.value'])
    .where('pixel.id', '=', pixelId)
    .where('pixel.deleted_at', 'is', null)
    .executeTakeFirst()
}
