import { inBody } from './hear.ts'
import { inline, keepsMethods, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Derives the host of its files from the one that the code names. */
export const posthog: StandIn = {
  vendor: 'posthog',
  account: 'phc_Prt1c0QwErTyUiOpAsDfGhJkLzXcVbNm0123456',
  snippet: (account) =>
    inline(
      keepsMethods('posthog', ['capture', 'identify', 'opt_out_capturing']),
      'posthog.init = posthog.init || function (key, options) {',
      'posthog.key = key; posthog.host = options.api_host;',
      loads("options.api_host.replace('.i.posthog.com', '-assets.i.posthog.com') + '/static/array.js'"),
      '};',
      `posthog.init('${account}', { api_host: 'https://us.i.posthog.com' });`,
    ),
  answers: {
    'us-assets.i.posthog.com/static/array.js': {
      script: `
        var key = posthog.key, host = posthog.host
        function capture(name) { post(host + '/e/', { event: name, api_key: key }) }
        leave()
        capture('$pageview')
        answerMethods('posthog', {
          capture: capture,
          init: function () {}, identify: function () {}, opt_out_capturing: function () {},
        })`,
    },
    'us.i.posthog.com/e/': { json: { status: 1 } },
  },
  hear: inBody('us.i.posthog.com/e/', 'event', 'api_key'),
  pageView: '$pageview',
  leaves: {
    cookies: ['ph_phc_Prt1c0QwErTyUiOpAsDfGhJkLzXcVbNm0123456_posthog'],
    local: ['ph_phc_Prt1c0QwErTyUiOpAsDfGhJkLzXcVbNm0123456_posthog'],
    session: ['ph_phc_Prt1c0QwErTyUiOpAsDfGhJkLzXcVbNm0123456_window_id'],
  },
  needs: 'us-assets.i.posthog.com',
}
