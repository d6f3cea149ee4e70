import { inBody } from './hear.ts'
import { inline, keepsMethods, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Reports a refusal in the body, with status 200; a second host gets a copy. */
export const tiktokPixel: StandIn = {
  vendor: 'tiktok-pixel',
  account: 'CPRT1C0ABCDEFGHIJKL0',
  snippet: (account) =>
    inline(
      "window.TiktokAnalyticsObject = 'ttq';",
      keepsMethods('ttq', ['page', 'track', 'identify', 'holdConsent', 'grantConsent', 'revokeConsent']),
      'ttq.load = ttq.load || function (id) {',
      loads("'https://analytics.tiktok.com/i18n/pixel/events.js?sdkid=' + id + '&lib=ttq'"),
      '};',
      `ttq.load('${account}');`,
      'ttq.page();',
    ),
  answers: {
    'analytics.tiktok.com/i18n/pixel/events.js': {
      script: `
        window.tiktokPixels = window.tiktokPixels || []
        tiktokPixels.push(new URL(self).searchParams.get('sdkid'))
        if (once('tiktokIsHere')) load('https://analytics.tiktok.com/i18n/pixel/static/main.js')`,
    },
    'analytics.tiktok.com/i18n/pixel/static/main.js': {
      script: `
        function send(name) {
          tiktokPixels.forEach(function (id) {
            post('https://analytics.tiktok.com/api/v2/pixel', { event: name, id: id })
            beacon('https://analytics-ipv6.tiktokw.us/ipv6/enrich_ipv6', { id: id })
          })
        }
        leave()
        answerMethods('ttq', {
          page: function () { send('Pageview') },
          track: send,
          load: function () {}, identify: function () {},
          holdConsent: function () {}, grantConsent: function () {}, revokeConsent: function () {},
        })`,
    },
    'analytics.tiktok.com/api/v2/pixel': { json: { code: 40_000, message: 'Invalid value for event' } },
    'analytics-ipv6.tiktokw.us/ipv6/enrich_ipv6': '204',
  },
  hear: inBody('analytics.tiktok.com/api/v2/pixel', 'event', 'id'),
  pageView: 'Pageview',
  leaves: { cookies: ['_ttp', '_tt_enable_cookie', 'ttcsid'], session: ['tt_sessionId', 'tt_appInfo'] },
  needs: 'analytics-ipv6.tiktokw.us',
}
