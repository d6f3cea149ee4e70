import { inBody } from './hear.ts'
import { inline, keepsMethods, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Its answer is a digit, always with status 200: 0 means that nothing was accepted. */
export const mixpanel: StandIn = {
  vendor: 'mixpanel',
  account: '5f3c9a1e7b2d4680c1e5a9f37d2b6c84',
  snippet: (account) =>
    inline(
      keepsMethods('mixpanel', ['init', 'track', 'identify', 'opt_out_tracking']),
      loads("'//cdn.mxpnl.com/libs/mixpanel-2-latest.min.js'"),
      `mixpanel.init('${account}', { track_pageview: true });`,
    ),
  answers: {
    'cdn.mxpnl.com/libs/mixpanel-2-latest.min.js': {
      script: `
        var token
        function track(name) { post('https://api-js.mixpanel.com/track/', { event: name, token: token }) }
        answerMethods('mixpanel', {
          init: function (key, options) {
            token = key
            leave()
            if (options.track_pageview) track('$mp_web_page_view')
          },
          track: track,
          identify: function () {}, opt_out_tracking: function () {},
        })`,
    },
    'api-js.mixpanel.com/track/': { json: 0 },
  },
  hear: inBody('api-js.mixpanel.com/track/', 'event', 'token'),
  pageView: '$mp_web_page_view',
  leaves: {
    cookies: ['mp_5f3c9a1e7b2d4680c1e5a9f37d2b6c84_mixpanel'],
    local: ['__mpq_5f3c9a1e7b2d4680c1e5a9f37d2b6c84_ev'],
  },
  needs: 'api-js.mixpanel.com',
}
