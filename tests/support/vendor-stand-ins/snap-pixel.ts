import { inBody } from './hear.ts'
import { inline, keepsCalls, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Asks for its configuration as a script, posts its events, and matches cookies in a frame. */
export const snapPixel: StandIn = {
  vendor: 'snap-pixel',
  account: '7c1d9e42-5b3a-4f68-9d20-1e8f3a6b7c50',
  snippet: (account) =>
    inline(
      keepsCalls('snaptr'),
      loads("'https://sc-static.net/scevent.min.js'"),
      `snaptr('init', '${account}');`,
      "snaptr('track', 'PAGE_VIEW');",
    ),
  answers: {
    'sc-static.net/scevent.min.js': {
      script: `
        var ids = []
        leave()
        answerCalls('snaptr', function (what, value) {
          if (what === 'init') {
            ids.push(value)
            load('https://tr.snapchat.com/config/com/' + value + '.js')
            frame('https://tr.snapchat.com/cm/i')
          }
          if (what === 'track') {
            ids.forEach(function (id) { post('https://tr.snapchat.com/p', { ev: value, pid: id }) })
          }
        })`,
    },
    'tr.snapchat.com/config/com/*': { script: 'window.snapConfiguration = true' },
    'tr.snapchat.com/cm/i': 'frame',
    'tr.snapchat.com/p': { json: {} },
  },
  hear: inBody('tr.snapchat.com/p', 'ev', 'pid'),
  pageView: 'PAGE_VIEW',
  leaves: { cookies: ['_scid', '_scid_r', '_sctr'] },
  needs: 'tr.snapchat.com',
}
