import { activecampaign } from './activecampaign.ts'
import { amplitude } from './amplitude.ts'
import { fullstory } from './fullstory.ts'
import { googleAds } from './google-ads.ts'
import { googleAnalytics4 } from './google-analytics-4.ts'
import { googleTagManager } from './google-tag-manager.ts'
import { hotjar } from './hotjar.ts'
import { hubspot } from './hubspot.ts'
import { intercom } from './intercom.ts'
import { klaviyo } from './klaviyo.ts'
import { kwaiPixel } from './kwai-pixel.ts'
import { linkedinInsight } from './linkedin-insight.ts'
import { metaPixel } from './meta-pixel.ts'
import { microsoftClarity } from './microsoft-clarity.ts'
import { microsoftUet } from './microsoft-uet.ts'
import { mixpanel } from './mixpanel.ts'
import { outbrainPixel } from './outbrain-pixel.ts'
import { pinterestTag } from './pinterest-tag.ts'
import { plausible } from './plausible.ts'
import { posthog } from './posthog.ts'
import { rdStation } from './rd-station.ts'
import { redditPixel } from './reddit-pixel.ts'
import { rtbHouse } from './rtb-house.ts'
import { segment } from './segment.ts'
import { snapPixel } from './snap-pixel.ts'
import type { StandIn } from './stand-in.ts'
import { taboolaPixel } from './taboola-pixel.ts'
import { tiktokPixel } from './tiktok-pixel.ts'
import { umami } from './umami.ts'
import { xPixel } from './x-pixel.ts'

/** Every vendor that is stood in for. */
export const STAND_INS: readonly StandIn[] = [
  activecampaign,
  amplitude,
  fullstory,
  googleAds,
  googleAnalytics4,
  googleTagManager,
  hotjar,
  hubspot,
  intercom,
  klaviyo,
  kwaiPixel,
  linkedinInsight,
  metaPixel,
  microsoftClarity,
  microsoftUet,
  mixpanel,
  outbrainPixel,
  pinterestTag,
  plausible,
  posthog,
  rdStation,
  redditPixel,
  rtbHouse,
  segment,
  snapPixel,
  taboolaPixel,
  tiktokPixel,
  umami,
  xPixel,
]
