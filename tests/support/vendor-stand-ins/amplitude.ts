import { inBody } from './hear.ts'
import { inline } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** The account is the name of its file; the snippet waits for it. */
export const amplitude: StandIn = {
  vendor: 'amplitude',
  account: 'c4e8a1f09b3d7526e1a4c8f03b9d5627',
  snippet: (account) =>
    `<script src="https://cdn.amplitude.com/script/${account}.js"></script>\n${inline(
      `window.amplitude.init('${account}', { autocapture: true });`,
    )}`,
  answers: {
    'cdn.amplitude.com/script/*': {
      script: `
        var key
        function track(name) { post('https://api2.amplitude.com/2/httpapi', { event_type: name, api_key: key }) }
        window.amplitude = {
          init: function (value) { key = value; leave(); track('[Amplitude] Page Viewed') },
          track: track,
        }`,
    },
    'api2.amplitude.com/2/httpapi': { json: { code: 200 } },
  },
  hear: inBody('api2.amplitude.com/2/httpapi', 'event_type', 'api_key'),
  pageView: '[Amplitude] Page Viewed',
  leaves: { cookies: ['AMP_c4e8a1f09b', 'AMP_MKTG_c4e8a1f09b'], local: ['AMP_unsent_c4e8a1f09b'] },
  needs: 'api2.amplitude.com',
}
