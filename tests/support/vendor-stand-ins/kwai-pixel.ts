import { inBody } from './hear.ts'
import { inline, keepsMethods, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Its log host accepts everything and never answers. */
export const kwaiPixel: StandIn = {
  vendor: 'kwai-pixel',
  account: '318273645501928',
  snippet: (account) =>
    `${inline(
      "window.KwaiAnalyticsObject = 'kwaiq';",
      keepsMethods('kwaiq', ['page', 'track', 'identify']),
      'kwaiq.load = kwaiq.load || function (id) {',
      loads("'https://s21-def.ap4r.com/kos/s101/nlav112572/pixel/events.js?sdkid=' + id + '&lib=kwaiq'"),
      '};',
    )}\n${inline(`kwaiq.load('${account}');`, 'kwaiq.page();')}`,
  answers: {
    's21-def.ap4r.com/kos/s101/nlav112572/pixel/events.js': {
      script: `
        var id = new URL(self).searchParams.get('sdkid')
        function send(name) {
          post('https://www.adsnebula.com/log/common/api', { event: name, pixel: id })
          beacon('https://logsdk.kwai-pro.com/rest/log')
        }
        leave()
        answerMethods('kwaiq', {
          page: function () { send('pageview') },
          track: send,
          load: function () {}, identify: function () {},
        })`,
    },
    'www.adsnebula.com/log/common/api': { json: { result: 2, error_msg: 'rejected' } },
    'logsdk.kwai-pro.com/rest/log': 'never',
  },
  hear: inBody('www.adsnebula.com/log/common/api', 'event', 'pixel'),
  pageView: 'pageview',
  leaves: { cookies: ['kwai_uuid', '_k_gid_collect'] },
  needs: 'www.adsnebula.com',
}
