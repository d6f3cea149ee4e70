import { inBody } from './hear.ts'
import type { StandIn } from './stand-in.ts'

const FILES = 'd335luupugsy2.cloudfront.net'

/** Its files come from a shared content network; its page views go to rdstation.com.br. */
export const rdStation: StandIn = {
  vendor: 'rd-station',
  account: '2f9c1b7e-6a40-4d83-b5e1-90c8d7f6a321',
  snippet: (account) =>
    `<script type="text/javascript" async src="https://${FILES}/js/loader-scripts/${account}-loader.js"></script>`,
  answers: {
    [`${FILES}/js/loader-scripts/*`]: {
      script: `
        window.rdStationAccount = self.split('/').pop().replace('-loader.js', '')
        load('https://${FILES}/js/integration/stable/rd-js-integration.min.js')`,
    },
    [`${FILES}/js/integration/stable/rd-js-integration.min.js`]: {
      script: `
        leave()
        post('https://pageview-notify.rdstation.com.br/send', { event: 'page_view', account: rdStationAccount })`,
    },
    'pageview-notify.rdstation.com.br/send': { json: {} },
  },
  hear: inBody('pageview-notify.rdstation.com.br/send', 'event', 'account'),
  pageView: 'page_view',
  leaves: { cookies: ['rdtrk', '__trf.src'] },
  needs: 'pageview-notify.rdstation.com.br',
}
