import { inQuery } from './hear.ts'
import { inline } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Its image is answered 204, which a browser reports as an error. A second host gets beacons without cookies. */
export const microsoftUet: StandIn = {
  vendor: 'microsoft-uet',
  account: '187654321',
  snippet: (account) =>
    inline(
      'window.uetq = window.uetq || [];',
      `(function (w, d) {
  var s = d.createElement('script');
  s.src = '//bat.bing.com/bat.js'; s.async = 1;
  s.onload = function () { w.uetq = new UET({ ti: "${account}", q: w.uetq }); w.uetq.push('pageLoad') };
  d.getElementsByTagName('script')[0].parentNode.insertBefore(s, null)
})(window, document);`,
    ),
  answers: {
    'bat.bing.com/bat.js': {
      script: `
        window.UET = function (options) {
          function send(name) {
            image('https://bat.bing.com/action/0?ti=' + options.ti + '&evt=' + name)
            beacon('https://bat.bing.net/actionp/0?ti=' + options.ti)
          }
          this.push = function (kind, action) { send(kind === 'event' ? action : kind) }
          leave()
        }`,
    },
    'bat.bing.com/action/0': '204',
    'bat.bing.net/actionp/0': '204',
  },
  hear: inQuery('bat.bing.com/action/0', 'evt', 'ti'),
  pageView: 'pageLoad',
  leaves: { cookies: ['_uetsid', '_uetvid'], local: ['_uetsid', '_uetsid_exp', '_uetvid'] },
  needs: 'bat.bing.net',
}
