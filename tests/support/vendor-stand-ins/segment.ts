import { inBody } from './hear.ts'
import { inline, keepsMethods, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Fetches its settings first, and sends only afterwards. */
export const segment: StandIn = {
  vendor: 'segment',
  account: 'Prt1c0WriteKeyAbCdEfGhIjKlMnOp01',
  snippet: (account) =>
    inline(
      keepsMethods('analytics', ['page', 'track', 'identify', 'reset']),
      'analytics.SNIPPET_VERSION = "5.2.0";',
      'analytics.load = analytics.load || function (key) {',
      'analytics._writeKey = key;',
      loads("'https://cdn.segment.com/analytics.js/v1/' + key + '/analytics.min.js'"),
      '};',
      `analytics.load("${account}");`,
      'analytics.page();',
    ),
  answers: {
    'cdn.segment.com/analytics.js/v1/*': {
      script: `
        var key = analytics._writeKey
        var settings = fetch('https://cdn.segment.com/v1/projects/' + key + '/settings')
        function send(name) {
          settings
            .then(function () { return post('https://api.segment.io/v1/t', { event: name, writeKey: key }) })
            .catch(function () {})
        }
        leave()
        answerMethods('analytics', {
          page: function () { send('page') },
          track: send,
          load: function () {}, identify: function () {}, reset: function () {},
        })`,
    },
    'cdn.segment.com/v1/projects/*': { json: {} },
    'api.segment.io/v1/t': { json: { success: true } },
  },
  hear: inBody('api.segment.io/v1/t', 'event', 'writeKey'),
  pageView: 'page',
  leaves: { cookies: ['ajs_anonymous_id'], local: ['ajs_anonymous_id', 'ajs_user_traits'] },
  needs: 'api.segment.io',
}
