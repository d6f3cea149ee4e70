import { inBody } from './hear.ts'
import { inline } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** A second script from another host, a collector under another domain, and a socket that is never accepted. */
export const hotjar: StandIn = {
  vendor: 'hotjar',
  account: '3918274',
  snippet: (account) =>
    inline(
      `(function (h, o, t, j) {
  h.hj = h.hj || function () { (h.hj.queue = h.hj.queue || []).push(arguments) };
  h._hjSettings = { hjid: ${account}, hjsv: 6 };
  var r = o.createElement('script'); r.async = 1;
  r.src = t + h._hjSettings.hjid + j + h._hjSettings.hjsv;
  o.getElementsByTagName('head')[0].appendChild(r)
})(window, document, 'https://static.hotjar.com/c/hotjar-', '.js?sv=');`,
    ),
  answers: {
    'static.hotjar.com/c/*': { script: `load('https://script.hotjar.com/modules.js')` },
    'script.hotjar.com/modules.js': {
      script: `
        function send(name) { post('https://content.hotjar.io/', { name: name, site: String(_hjSettings.hjid) }) }
        leave()
        send('page_view')
        try { new WebSocket('wss://ws.hotjar.com/api/v2/client/ws') } catch (error) {}
        answerCalls('hj', function (what, value) { if (what === 'event') send(value) })`,
    },
    'content.hotjar.io/': { json: { success: true } },
    'ws.hotjar.com/*': 'never',
  },
  hear: inBody('content.hotjar.io/', 'name', 'site'),
  pageView: 'page_view',
  leaves: {
    cookies: ['_hjSessionUser_3918274', '_hjSession_3918274'],
    local: ['hjActiveViewportIds'],
    session: ['hjViewportId'],
  },
  needs: 'script.hotjar.com',
}
