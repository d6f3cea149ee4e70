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

const KNOWN = new Map<string, string>(
  [...CAMPAIGN_PARAMETERS, ...CLICK_IDS].map((name) => [name.toLowerCase(), name]),
)

/** A campaign parameter or click ID by its name, which some platforms write in lower case; undefined for others. */
export function campaignParameter(name: string): string | undefined {
  return KNOWN.get(name.toLowerCase())
}
