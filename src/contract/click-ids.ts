import { CLICK_IDS, type ClickId, readCampaign } from './campaign.ts'

/** Who issues click IDs, and the hosts of its tags: no other vendor gets them. */
const ISSUERS = {
  google: [
    'google.com',
    'google-analytics.com',
    'googletagmanager.com',
    'googleadservices.com',
    'googlesyndication.com',
    'doubleclick.net',
  ],
  microsoft: ['bing.com', 'clarity.ms'],
  meta: ['facebook.com', 'facebook.net'],
  tiktok: ['tiktok.com'],
  linkedin: ['linkedin.com', 'licdn.com'],
  x: ['twitter.com', 'x.com', 'ads-twitter.com', 't.co'],
  pinterest: ['pinterest.com', 'pinimg.com'],
  snapchat: ['snapchat.com', 'sc-static.net'],
  reddit: ['reddit.com', 'redditstatic.com'],
  yandex: ['yandex.ru', 'yandex.com'],
  taboola: ['taboola.com'],
  kwai: ['kwai.net', 'kwai.com', 'kwaizt.com'],
} as const

type Issuer = keyof typeof ISSUERS

interface ClickIdRule {
  issuer: Issuer
  /** The source of a visit whose address has it. */
  source: string
  /** Whether only ads have it; ordinary shared links have others too. */
  isPaid: boolean
}

export const CLICK_ID_RULES: Record<ClickId, ClickIdRule> = {
  gclid: { issuer: 'google', source: 'google', isPaid: true },
  gbraid: { issuer: 'google', source: 'google', isPaid: true },
  wbraid: { issuer: 'google', source: 'google', isPaid: true },
  dclid: { issuer: 'google', source: 'google-display', isPaid: true },
  msclkid: { issuer: 'microsoft', source: 'bing', isPaid: true },
  fbclid: { issuer: 'meta', source: 'facebook', isPaid: false },
  ttclid: { issuer: 'tiktok', source: 'tiktok', isPaid: true },
  li_fat_id: { issuer: 'linkedin', source: 'linkedin', isPaid: true },
  twclid: { issuer: 'x', source: 'x', isPaid: true },
  epik: { issuer: 'pinterest', source: 'pinterest', isPaid: false },
  ScCid: { issuer: 'snapchat', source: 'snapchat', isPaid: true },
  rdt_cid: { issuer: 'reddit', source: 'reddit', isPaid: true },
  yclid: { issuer: 'yandex', source: 'yandex', isPaid: true },
  tblci: { issuer: 'taboola', source: 'taboola', isPaid: true },
  click_id: { issuer: 'kwai', source: 'kwai', isPaid: true },
}

/** Whether a parameter that `readCampaign` found is a click ID. */
export function isClickId(name: string): name is ClickId {
  return name in CLICK_ID_RULES
}

export function clickIdsOf(issuer: Issuer): ClickId[] {
  return CLICK_IDS.filter((name) => CLICK_ID_RULES[name].issuer === issuer)
}

const MAX_CAMPAIGN_LENGTH = 1_500

/**
 * The part of the page's query that the tag of an isolated frame gets: the campaign, and click IDs of its own vendor.
 * Hosts are the tag's, with or without `*.`.
 */
export function campaignForTag(query: string, hosts: readonly string[]): string {
  const campaign = new URLSearchParams(
    [...readCampaign(query)].filter(
      ([name]) =>
        !isClickId(name) || hosts.some((host) => isOf(CLICK_ID_RULES[name].issuer, host.replace('*.', ''))),
    ),
  ).toString()
  return campaign === '' || campaign.length > MAX_CAMPAIGN_LENGTH ? '' : `?${campaign}`
}

function isOf(issuer: Issuer, host: string): boolean {
  return ISSUERS[issuer].some((own) => host === own || host.endsWith(`.${own}`))
}
