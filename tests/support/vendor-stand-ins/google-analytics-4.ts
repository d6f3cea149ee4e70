import { generateSnippet } from '#contract/pixel-snippet.ts'
import { ANALYTICS_LEAVES, GOOGLE_TAG } from './google-tag.ts'
import { inQuery } from './hear.ts'
import type { StandIn } from './stand-in.ts'

/** Answers 204 to everything, right or wrong. */
export const googleAnalytics4: StandIn = {
  vendor: 'google-analytics-4',
  account: 'G-PRT1C0AB12',
  snippet: (account) => generateSnippet('google_analytics', account),
  answers: {
    'www.googletagmanager.com/gtag/js': { script: GOOGLE_TAG },
    'www.google-analytics.com/g/collect': '204',
  },
  hear: inQuery('www.google-analytics.com/g/collect', 'en', 'tid'),
  pageView: 'page_view',
  leaves: ANALYTICS_LEAVES,
  needs: 'www.google-analytics.com',
}
