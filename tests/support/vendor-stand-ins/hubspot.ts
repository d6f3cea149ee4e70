import { inQuery } from './hear.ts'
import type { StandIn } from './stand-in.ts'

/** A loader that adds two scripts of two further domains, of which one sends an image to a third. */
export const hubspot: StandIn = {
  vendor: 'hubspot',
  account: '24680135',
  snippet: (account) =>
    `<script type="text/javascript" id="hs-script-loader" async defer src="//js.hs-scripts.com/${account}.js"></script>`,
  answers: {
    'js.hs-scripts.com/*': {
      script: `
        var id = self.split('/').pop()
        load('https://js.hs-analytics.net/analytics/1700000000000/' + id)
        load('https://js.hs-banner.com/v2/' + id)`,
    },
    'js.hs-analytics.net/analytics/*': {
      script: `
        var id = self.split('/').pop().replace('.js', '')
        function send(name) { image('https://track.hubspot.com/__ptq.gif?a=' + id + '&k=' + name) }
        leave()
        send('page')
        answerList('_hsq', function (entry) {
          if (entry[0] === 'trackCustomBehavioralEvent') send(entry[1].name)
          if (entry[0] === 'trackEvent') send(entry[1].id)
        })`,
    },
    'js.hs-banner.com/v2/*': { script: 'window.hubspotBanner = true' },
    'track.hubspot.com/__ptq.gif': 'gif',
  },
  hear: inQuery('track.hubspot.com/__ptq.gif', 'k', 'a'),
  pageView: 'page',
  leaves: { cookies: ['__hstc', 'hubspotutk', '__hssc', '__hssrc'] },
  needs: 'js.hs-analytics.net',
}
