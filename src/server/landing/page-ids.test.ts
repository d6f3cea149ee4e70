import { expect, test } from 'vitest'
import { parseConfig } from '../config.ts'
import { BuildManifest } from '../http/static/assets.ts'
import { loadRenderBundle, readDocumentAssets } from './build-output.ts'

/** Globals of vendors' snippets: `window.analytics = window.analytics || []`. */
const GLOBALS_OF_VENDORS =
  `$crisp $zopim BlipChat CRISP_WEBSITE_ID CS_CONF Criteo FS HubSpotConversations Insider
InsiderQueue Intercom KwaiAnalyticsObject LogRocket Matomo OB_ADV_ID Piwik RDStation RDStationForms RdIntegration Tawk_API
Tawk_LoadStart TiktokAnalyticsObject UET VWO _fbq _fs_namespace _fs_org _hjSettings _hsp _hsq _klOnsite _learnq
_linkedin_data_partner_ids _linkedin_partner_id _mfq _mtm _paq _taboola _tfa _uxa _vwo_code amplitude analytics clarity
criteo_q dataLayer fbq google_conversion_id google_tag_manager gtag hbspt hj insider_object intercomSettings jivo_api
jivo_init klaviyo kwaiq lintrk mcjs mixpanel mouseflow nvg obApi optimizely pintrk plausible posthog rdt rtbhEvents snaptr
ttq twq uetq umami vgo zE zESettings`.split(/\s+/)

test("no element id is the name of a vendor's queue, because browsers make each id a property of window", async () => {
  const renderer = await loadRenderBundle('dist')
  const assets = readDocumentAssets('dist', new BuildManifest('dist/client'))
  const html = renderer.renderLanding(parseConfig({}).site, assets)
  const names = [...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => GLOBALS_OF_VENDORS.includes(name))).toEqual([])
})
