import { inQuery } from './hear.ts'
import { inline, keepsCalls, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Two images of the same event, at two hosts. */
export const xPixel: StandIn = {
  vendor: 'x-pixel',
  account: 'p7k2m',
  snippet: (account) =>
    inline(
      keepsCalls('twq'),
      loads("'https://static.ads-twitter.com/uwt.js'"),
      `twq('config', '${account}');`,
    ),
  answers: {
    'static.ads-twitter.com/uwt.js': {
      script: `
        var ids = []
        function send(id, name) {
          var query = '/i/adsct?txn_id=' + id + '&event_id=' + name
          image('https://t.co' + query)
          image('https://analytics.twitter.com' + query)
        }
        leave()
        answerCalls('twq', function (what, value) {
          if (what === 'config') { ids.push(value); send(value, 'PageView') }
          if (what === 'event' || what === 'track') ids.forEach(function (id) { send(id, value) })
        })`,
    },
    't.co/i/adsct': 'gif',
    'analytics.twitter.com/i/adsct': 'gif',
  },
  hear: inQuery('analytics.twitter.com/i/adsct', 'event_id', 'txn_id'),
  pageView: 'PageView',
  leaves: { cookies: ['_twpid'] },
  needs: 't.co',
}
