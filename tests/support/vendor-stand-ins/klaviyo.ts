import { inBody } from './hear.ts'
import type { StandIn } from './stand-in.ts'

/** One tag that brings a script of another host, and keeps most in the browser's storage. */
export const klaviyo: StandIn = {
  vendor: 'klaviyo',
  account: 'Xk9TqB',
  snippet: (account) =>
    `<script async type="text/javascript" src="https://static.klaviyo.com/onsite/js/klaviyo.js?company_id=${account}"></script>`,
  answers: {
    'static.klaviyo.com/onsite/js/klaviyo.js': {
      script: `
        window.klaviyoCompany = new URL(self).searchParams.get('company_id')
        load('https://static-tracking.klaviyo.com/onsite/js/onsite-analytics.js')`,
    },
    'static-tracking.klaviyo.com/onsite/js/onsite-analytics.js': {
      script: `
        function send(name) {
          return post('https://a.klaviyo.com/client/events/', { metric: name, company_id: klaviyoCompany })
        }
        leave()
        send('Active on Site')
        window.klaviyo = {
          track: send,
          push: function (entry) { if (entry[0] === 'track') send(entry[1]) },
        }`,
    },
    'a.klaviyo.com/client/events/': { json: {} },
  },
  hear: inBody('a.klaviyo.com/client/events/', 'metric', 'company_id'),
  pageView: 'Active on Site',
  leaves: { cookies: ['__kla_id'], local: ['klaviyoOnsite', '__kla_viewed'], session: ['klSessionId'] },
  needs: 'a.klaviyo.com',
}
