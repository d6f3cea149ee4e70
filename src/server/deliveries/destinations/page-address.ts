import type { EventPayload } from '#server/db/delivery-schema.ts'

/** The page as vendors are told of it: its path, and of its query only the campaign. */
export function pageAddress(
  siteUrl: string,
  { path, campaign }: Pick<EventPayload, 'path' | 'campaign'>,
): string {
  const url = new URL(path, siteUrl)
  for (const [name, value] of Object.entries(campaign ?? {})) url.searchParams.set(name, value)
  return url.href
}
