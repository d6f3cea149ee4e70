import { inQuery } from './hear.ts'
import { inline, keepsCalls, loads, noscriptImage } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** A helper script, a picture and a small frame, all from the collector's host. */
export const pinterestTag: StandIn = {
  vendor: 'pinterest-tag',
  account: '2613504817263',
  snippet: (account) =>
    [
      inline(
        keepsCalls('pintrk'),
        loads("'https://s.pinimg.com/ct/core.js'"),
        `pintrk('load', '${account}');`,
        "pintrk('page');",
      ),
      noscriptImage(`https://ct.pinterest.com/v3/?event=init&tid=${account}&noscript=1`),
    ].join('\n'),
  answers: {
    's.pinimg.com/ct/core.js': {
      script: `
        var ids = []
        function send(name) {
          ids.forEach(function (id) { image('https://ct.pinterest.com/v3/?tid=' + id + '&event=' + name) })
        }
        leave()
        load('https://ct.pinterest.com/static/ct/token_create.js')
        frame('https://ct.pinterest.com/ct.html')
        answerCalls('pintrk', function (what, value) {
          if (what === 'load') ids.push(value)
          if (what === 'page') send('pagevisit')
          if (what === 'track') send(value)
        })`,
    },
    'ct.pinterest.com/static/ct/token_create.js': { script: 'window.pinterestToken = true' },
    'ct.pinterest.com/ct.html': 'frame',
    'ct.pinterest.com/v3/': 'gif',
  },
  hear: inQuery('ct.pinterest.com/v3/', 'event', 'tid'),
  pageView: 'pagevisit',
  leaves: { cookies: ['_pin_unauth', '_derived_epik'] },
  needs: 'ct.pinterest.com',
}
