import { activecampaign } from './catalogue/activecampaign.ts'
import { amplitude } from './catalogue/amplitude.ts'
import { blip } from './catalogue/blip.ts'
import { contentsquare } from './catalogue/contentsquare.ts'
import { crisp } from './catalogue/crisp.ts'
import { facebookDomainVerification } from './catalogue/facebook-domain-verification.ts'
import { fullstory } from './catalogue/fullstory.ts'
import { googleAds } from './catalogue/google-ads.ts'
import { googleAnalytics4 } from './catalogue/google-analytics-4.ts'
import { googleFloodlight } from './catalogue/google-floodlight.ts'
import { googleSiteVerification } from './catalogue/google-site-verification.ts'
import { googleTagManager } from './catalogue/google-tag-manager.ts'
import { hotjar } from './catalogue/hotjar.ts'
import { hubspot } from './catalogue/hubspot.ts'
import { insider } from './catalogue/insider.ts'
import { intercom } from './catalogue/intercom.ts'
import { jivochat } from './catalogue/jivochat.ts'
import { klaviyo } from './catalogue/klaviyo.ts'
import { kwaiPixel } from './catalogue/kwai-pixel.ts'
import { linkedinInsight } from './catalogue/linkedin-insight.ts'
import { logrocket } from './catalogue/logrocket.ts'
import { matomo } from './catalogue/matomo.ts'
import { metaPixel } from './catalogue/meta-pixel.ts'
import { microsoftClarity } from './catalogue/microsoft-clarity.ts'
import { microsoftUet } from './catalogue/microsoft-uet.ts'
import { mixpanel } from './catalogue/mixpanel.ts'
import { mouseflow } from './catalogue/mouseflow.ts'
import { optimizely } from './catalogue/optimizely.ts'
import { outbrainPixel } from './catalogue/outbrain-pixel.ts'
import { pinterestTag } from './catalogue/pinterest-tag.ts'
import { plausible } from './catalogue/plausible.ts'
import { posthog } from './catalogue/posthog.ts'
import { rdStation } from './catalogue/rd-station.ts'
import { redditPixel } from './catalogue/reddit-pixel.ts'
import { rtbHouse } from './catalogue/rtb-house.ts'
import { segment } from './catalogue/segment.ts'
import { snapPixel } from './catalogue/snap-pixel.ts'
import { taboolaPixel } from './catalogue/taboola-pixel.ts'
import { tawkTo } from './catalogue/tawk-to.ts'
import { tiktokPixel } from './catalogue/tiktok-pixel.ts'
import { umami } from './catalogue/umami.ts'
import { vwo } from './catalogue/vwo.ts'
import { whatsappLink } from './catalogue/whatsapp-link.ts'
import { xPixel } from './catalogue/x-pixel.ts'
import { zendesk } from './catalogue/zendesk.ts'
import type { Vendor } from './vendor.ts'

/** Every known vendor, in order of precedence where two recognise the same paste. */
export const VENDORS: readonly Vendor[] = [
  metaPixel,
  googleAnalytics4,
  googleTagManager,
  googleAds,
  googleFloodlight,
  microsoftUet,
  microsoftClarity,
  tiktokPixel,
  kwaiPixel,
  linkedinInsight,
  xPixel,
  pinterestTag,
  snapPixel,
  redditPixel,
  taboolaPixel,
  outbrainPixel,
  rtbHouse,
  hotjar,
  contentsquare,
  fullstory,
  mouseflow,
  logrocket,
  rdStation,
  hubspot,
  activecampaign,
  klaviyo,
  intercom,
  jivochat,
  zendesk,
  crisp,
  tawkTo,
  blip,
  whatsappLink,
  vwo,
  optimizely,
  matomo,
  posthog,
  plausible,
  umami,
  amplitude,
  mixpanel,
  segment,
  insider,
  googleSiteVerification,
  facebookDomainVerification,
]
