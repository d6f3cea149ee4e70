/** Parameters by which a link names its campaign. */
export const CAMPAIGN_PARAMETERS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'utm_id',
] as const

/** Longer values are cut. */
export const CAMPAIGN_MAX_LENGTH = 300

/** Click IDs that vendors add to the address of a landing page. All other parameters of an address are dropped. */
export const CLICK_IDS = [
  'gclid',
  'gbraid',
  'wbraid',
  'dclid',
  'msclkid',
  'fbclid',
  'ttclid',
  'li_fat_id',
  'twclid',
  'epik',
  'ScCid',
  'rdt_cid',
  'yclid',
  'tblci',
  'click_id',
] as const

export type ClickId = (typeof CLICK_IDS)[number]

export type CampaignParameter = (typeof CAMPAIGN_PARAMETERS)[number]

const KNOWN = new Map<string, CampaignParameter | ClickId>(
  [...CAMPAIGN_PARAMETERS, ...CLICK_IDS].map((name) => [name.toLowerCase(), name]),
)

/**
 * Campaign parameters and click IDs of a query, in its order, by the names above: some platforms write `sccid`. Of
 * repeated ones the first that has a value counts. The page, its links, isolated frames, the counter and server events
 * all read a query with this.
 */
export function readCampaign(query: string): Map<CampaignParameter | ClickId, string> {
  const found = new Map<CampaignParameter | ClickId, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const known = KNOWN.get(name.toLowerCase())
    if (known && value && !found.has(known)) found.set(known, value)
  }
  return found
}
