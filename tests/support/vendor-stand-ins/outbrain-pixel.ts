import { inQuery } from './hear.ts'
import { inline, keepsCalls, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** A second script from another host; its picture takes two seconds. */
export const outbrainPixel: StandIn = {
  vendor: 'outbrain-pixel',
  account: '00f3a9c1d47b28e6503c9ad1f7b2e84650',
  snippet: (account) =>
    inline(
      `var OB_ADV_ID = '${account}';`,
      keepsCalls('obApi'),
      'obApi.marketerId = OB_ADV_ID;',
      loads("'//amplify.outbrain.com/cp/obtp.js'"),
      "obApi('track', 'PAGE_VIEW');",
    ),
  answers: {
    'amplify.outbrain.com/cp/obtp.js': {
      script: `
        var id = obApi.marketerId
        leave()
        load('https://wave.outbrain.com/mtWavesBundler/handler/' + id)
        answerCalls('obApi', function (what, value) {
          if (what === 'track') image('https://tr.outbrain.com/unifiedPixel?marketerId=' + id + '&name=' + value)
        })`,
    },
    'wave.outbrain.com/mtWavesBundler/*': { script: 'window.outbrainWaves = true' },
    'tr.outbrain.com/unifiedPixel': 'slow gif',
  },
  hear: inQuery('tr.outbrain.com/unifiedPixel', 'name', 'marketerId'),
  pageView: 'PAGE_VIEW',
  leaves: { cookies: ['outbrain_cid_fetch'] },
  needs: 'tr.outbrain.com',
}
