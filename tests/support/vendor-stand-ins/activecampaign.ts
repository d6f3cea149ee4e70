import { inQuery } from './hear.ts'
import { inline, keepsCalls, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Its page view is the address of a script that it adds. */
export const activecampaign: StandIn = {
  vendor: 'activecampaign',
  account: '610293847',
  snippet: (account) =>
    inline(
      keepsCalls('vgo'),
      loads("'https://diffuser-cdn.app-us1.com/diffuser/diffuser.js'"),
      `vgo('setAccount', '${account}');`,
      "vgo('setTrackByDefault', true);",
      "vgo('process');",
    ),
  answers: {
    'diffuser-cdn.app-us1.com/diffuser/diffuser.js': {
      script: `
        var account
        leave()
        load('https://prism.app-us1.com/prism.js')
        answerCalls('vgo', function (what, value) {
          if (what === 'setAccount') account = value
          if (what === 'process') load('https://trackcmp.net/visit?event=visit&actid=' + account)
        })`,
    },
    'prism.app-us1.com/prism.js': { script: 'window.activeCampaignPrism = true' },
    'trackcmp.net/visit': { script: 'window.activeCampaignVisit = true' },
  },
  hear: inQuery('trackcmp.net/visit', 'event', 'actid'),
  pageView: 'visit',
  leaves: { cookies: ['prism_610293847', 'ac_enable_tracking'] },
  needs: 'trackcmp.net',
}
