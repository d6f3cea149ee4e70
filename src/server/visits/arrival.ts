import { readCampaign } from '#contract/campaign.ts'
import { CLICK_ID_RULES, isClickId } from '#contract/click-ids.ts'
import { type Channel, type Device, OTHERS } from '#contract/visit-report.ts'
import type { Arrival } from '#contract/visits.ts'

/** Where a visit came from, and on what. Without anything that identifies a person. */
export interface Source {
  channel: Channel
  source: string
  medium: string
  campaign: string
  term: string
  device: Device
}

type Kind = 'search' | 'social' | 'ai' | 'email'

/** Sources by name. The hosts are compared by their end, so that `l.instagram.com` is Instagram too. */
const KNOWN_SOURCES: readonly [
  name: string,
  kind: Kind,
  hosts: readonly string[],
  aliases?: readonly string[],
][] = [
  ['chatgpt', 'ai', ['chatgpt.com', 'chat.openai.com'], ['chatgpt.com', 'openai']],
  ['gemini', 'ai', ['gemini.google.com', 'bard.google.com']],
  ['copilot', 'ai', ['copilot.microsoft.com', 'copilot.com']],
  ['perplexity', 'ai', ['perplexity.ai'], ['perplexity.ai']],
  ['claude', 'ai', ['claude.ai'], ['claude.ai']],
  ['deepseek', 'ai', ['chat.deepseek.com']],
  ['meta-ai', 'ai', ['meta.ai']],
  ['grok', 'ai', ['grok.com']],
  ['gmail', 'email', ['mail.google.com', 'com.google.android.gm']],
  ['outlook', 'email', ['outlook.live.com', 'outlook.office.com', 'outlook.office365.com']],
  ['yahoo-mail', 'email', ['mail.yahoo.com']],
  ['google', 'search', ['com.google.android.googlequicksearchbox'], ['adwords', 'googleads', 'google.com']],
  ['bing', 'search', ['bing.com'], ['bing.com', 'microsoft']],
  ['yahoo', 'search', ['search.yahoo.com', 'br.search.yahoo.com']],
  ['duckduckgo', 'search', ['duckduckgo.com']],
  ['ecosia', 'search', ['ecosia.org']],
  ['brave', 'search', ['search.brave.com']],
  ['yandex', 'search', ['yandex.com', 'yandex.ru', 'ya.ru']],
  ['baidu', 'search', ['baidu.com']],
  ['qwant', 'search', ['qwant.com']],
  ['startpage', 'search', ['startpage.com']],
  ['facebook', 'social', ['facebook.com', 'fb.com', 'fb.me', 'com.facebook.katana'], ['fb', 'meta']],
  ['instagram', 'social', ['instagram.com', 'com.instagram.android'], ['ig']],
  ['threads', 'social', ['threads.net', 'threads.com']],
  ['whatsapp', 'social', ['whatsapp.com', 'wa.me', 'com.whatsapp'], ['wpp', 'zap']],
  ['telegram', 'social', ['t.me', 'telegram.org', 'telegram.me', 'org.telegram.messenger']],
  ['x', 'social', ['x.com', 'twitter.com', 't.co', 'com.twitter.android'], ['twitter']],
  ['linkedin', 'social', ['linkedin.com', 'lnkd.in', 'com.linkedin.android']],
  ['youtube', 'social', ['youtube.com', 'youtu.be', 'com.google.android.youtube'], ['yt']],
  ['tiktok', 'social', ['tiktok.com', 'com.zhiliaoapp.musically']],
  ['kwai', 'social', ['kwai.com', 'kw.ai']],
  ['pinterest', 'social', ['pinterest.com', 'br.pinterest.com', 'pin.it']],
  ['reddit', 'social', ['reddit.com', 'com.reddit.frontpage']],
  ['snapchat', 'social', ['snapchat.com']],
  ['discord', 'social', ['discord.com']],
  ['slack', 'social', ['slack.com']],
]

const KIND_OF = new Map<string, Kind>()
const NAME_OF = new Map<string, string>()
const NAME_OF_HOST = new Map<string, string>()
for (const [name, kind, hosts, aliases = []] of KNOWN_SOURCES) {
  KIND_OF.set(name, kind)
  for (const alias of [...aliases, ...hosts]) NAME_OF.set(alias, name)
  for (const host of hosts) NAME_OF_HOST.set(host, name)
}

/** `www.google.com.br`, but not `google.example.com`. Mail and assistants are hosts of their own. */
const GOOGLE = /^(?:www\.)?google\.(?:[a-z]{2,3}|com?\.[a-z]{2})$/

/**
 * The source of a page view. The order: campaign parameters, click ID, the page before. The first page of a visit
 * decides; that is the caller's rule.
 */
export function readSource(arrival: Arrival, ownHosts: ReadonlySet<string>, agent: string): Source {
  const { campaign: given = {}, click_id: clickId } = arrival
  const medium = cleanValue(given.utm_medium)
  const campaign = cleanValue(given.utm_campaign)
  const named = cleanValue(given.utm_source)
  const referrer = readReferrer(arrival.referrer, ownHosts)
  const click = clickId === undefined ? null : CLICK_ID_RULES[clickId]
  const source = NAME_OF.get(named) ?? (named || (click?.source ?? referrer ?? ''))
  const hasCampaign = named !== '' || medium !== '' || campaign !== ''
  const facts = { source, medium, isPaidClick: click?.isPaid ?? false, hasCampaign }
  return {
    channel: readChannel(facts),
    source,
    medium,
    campaign,
    term: cleanValue(given.utm_term),
    device: readDevice(agent),
  }
}

interface ChannelFacts {
  source: string
  medium: string
  isPaidClick: boolean
  hasCampaign: boolean
}

const DISPLAY_MEDIUMS = new Set(['display', 'banner', 'expandable', 'interstitial'])
const SOCIAL_MEDIUMS = new Set([
  'social',
  'social-network',
  'social-media',
  'sm',
  'social_network',
  'social_media',
])

/** In the order of Google Analytics' channel groups, in ten groups; the first match decides. */
function readChannel({ source, medium, isPaidClick, hasCampaign }: ChannelFacts): Channel {
  const kind = KIND_OF.get(source)
  const isPaid = isPaidClick || isPaidMedium(medium)
  if (isPaid && kind === 'search') return 'paid_search'
  if (isPaid && kind === 'social') return 'paid_social'
  if (isPaid || DISPLAY_MEDIUMS.has(medium)) return 'paid_other'
  if (kind === 'social' || SOCIAL_MEDIUMS.has(medium)) return 'social'
  if (kind === 'ai') return 'ai'
  if (kind === 'search' || medium === 'organic') return 'organic_search'
  if (kind === 'email' || isEmail(medium) || isEmail(source)) return 'email'
  if (medium === 'referral') return 'referral'
  if (hasCampaign) return 'campaign'
  return source === '' ? 'direct' : 'referral'
}

function isPaidMedium(medium: string): boolean {
  return medium.includes('cp') || medium === 'ppc' || medium === 'retargeting' || medium.startsWith('paid')
}

function isEmail(value: string): boolean {
  return value.includes('email') || value.includes('e-mail') || value.includes('newsletter')
}

/** The known name of the page before, or its host; null if there is none, or if it is ours. */
function readReferrer(text: string | undefined, ownHosts: ReadonlySet<string>): string | null {
  if (text === undefined || text === '') return null
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url === null || !['http:', 'https:', 'android-app:'].includes(url.protocol)) return null
  const host = url.hostname.toLowerCase()
  if (host === '' || host === 'localhost' || ownHosts.has(host)) return null
  for (let part = host; part.includes('.'); part = part.slice(part.indexOf('.') + 1)) {
    const name = NAME_OF_HOST.get(part)
    if (name !== undefined) return name
  }
  return GOOGLE.test(host) ? 'google' : cleanValue(host.replace(/^www\./, ''))
}

const MAX_LENGTH = 100

/** Values that stand for none: written by programs, or macros that nobody filled in. */
const EMPTY_VALUES = new Set(['null', 'undefined', '(not set)', '(none)', 'none', OTHERS])
const MACRO = /^(?:\{.*\}|\[.*\]|__.*__|%.*%)$/

/** E-mail addresses, phone numbers and CPFs do end up in links. */
const ADDRESS = /@|%40/
const DIGITS = /\d{8}|\d{3}\.\d{3}\.\d{3}|\d{5}-\d{4}/

/** A value as it is counted: normalised, in lower case; empty for none; `OTHERS` if it may name a person. */
export function cleanValue(text: string | undefined): string {
  if (text === undefined || text === '') return ''
  const value = text
    .normalize('NFC')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .toLowerCase()
    .slice(0, MAX_LENGTH)
  if (EMPTY_VALUES.has(value) || MACRO.test(value)) return ''
  return ADDRESS.test(value) || DIGITS.test(value) ? OTHERS : value
}

function readDevice(agent: string): Device {
  if (/ipad|tablet|kindle|silk|playbook/i.test(agent)) return 'tablet'
  if (/android/i.test(agent)) return /mobile/i.test(agent) ? 'phone' : 'tablet'
  return /mobi|iphone|ipod/i.test(agent) ? 'phone' : 'desktop'
}

/** The arrival that an address and the `Referer` header tell. */
export function arrivalOf(query: string | null, referrer: string | undefined): Arrival {
  const arrival: Arrival = referrer === undefined ? {} : { referrer }
  if (query === null || query === '') return arrival
  const campaign: NonNullable<Arrival['campaign']> = {}
  let clickId: Arrival['click_id']
  for (const [name, value] of readCampaign(query))
    if (isClickId(name)) clickId ??= name
    else campaign[name] = value
  return { ...arrival, campaign, ...(clickId === undefined ? {} : { click_id: clickId }) }
}
