import { inQuery } from './hear.ts'
import { inline, keepsCalls, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Fetches its settings and sends a picture. */
export const redditPixel: StandIn = {
  vendor: 'reddit-pixel',
  account: 'a2_h7k3p9x2',
  snippet: (account) =>
    inline(
      keepsCalls('rdt'),
      loads(`'https://www.redditstatic.com/ads/pixel.js?pixel_id=${account}'`),
      `rdt('init','${account}');`,
      "rdt('track', 'PageVisit');",
    ),
  answers: {
    'www.redditstatic.com/ads/pixel.js': {
      script: `
        var ids = []
        leave()
        answerCalls('rdt', function (what, value) {
          if (what === 'init') {
            ids.push(value)
            fetch('https://pixel-config.reddit.com/pixels/' + value + '/config').catch(function () {})
          }
          if (what === 'track') {
            ids.forEach(function (id) { image('https://alb.reddit.com/rp.gif?id=' + id + '&event=' + value) })
          }
        })`,
    },
    'pixel-config.reddit.com/pixels/*': { json: {} },
    'alb.reddit.com/rp.gif': 'gif',
  },
  hear: inQuery('alb.reddit.com/rp.gif', 'event', 'id'),
  pageView: 'PageVisit',
  leaves: { cookies: ['_rdt_uuid', '_rdt_cid'] },
  needs: 'alb.reddit.com',
}
