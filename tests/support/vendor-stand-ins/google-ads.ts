import { ADS_LEAVES, GOOGLE_TAG } from './google-tag.ts'
import { inline } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

const PATH = /^\/pagead\/(?:viewthroughconversion|conversion)\/(\d+)\/$/

/** Its image is redirected to Google's main host, and from there to the visitor's country. */
export const googleAds: StandIn = {
  vendor: 'google-ads',
  account: 'AW-1029384756',
  snippet: (account) =>
    `<script async src="https://www.googletagmanager.com/gtag/js?id=${account}"></script>\n${inline(
      'window.dataLayer = window.dataLayer || [];',
      'function gtag(){dataLayer.push(arguments);}',
      "gtag('js', new Date());",
      `gtag('config', '${account}');`,
    )}`,
  answers: {
    'www.googletagmanager.com/gtag/js': { script: GOOGLE_TAG },
    'googleads.g.doubleclick.net/pagead/viewthroughconversion/*': {
      redirect: () => 'https://www.google.com/pagead/1p-user-list/',
    },
    'www.google.com/pagead/1p-user-list/': {
      redirect: () => 'https://www.google.com.br/pagead/1p-user-list/',
    },
    'www.google.com.br/pagead/1p-user-list/': 'gif',
    'www.googleadservices.com/pagead/conversion/*': 'gif',
  },
  hear: ({ host, path, query }) => {
    if (!['googleads.g.doubleclick.net', 'www.googleadservices.com'].includes(host)) return null
    return { event: query.get('en') ?? '', account: `AW-${PATH.exec(path)?.[1]}` }
  },
  pageView: 'page_view',
  leaves: ADS_LEAVES,
  needs: 'googleads.g.doubleclick.net',
}
