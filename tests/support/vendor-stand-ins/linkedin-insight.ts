import { inQuery } from './hear.ts'
import { inline, keepsCalls, loads, noscriptImage } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Its image is redirected through linkedin.com, to identify the member, to a second collector. */
export const linkedinInsight: StandIn = {
  vendor: 'linkedin-insight',
  account: '5647382',
  snippet: (account) =>
    [
      inline(
        `_linkedin_partner_id = "${account}";`,
        'window._linkedin_data_partner_ids = window._linkedin_data_partner_ids || [];',
        'window._linkedin_data_partner_ids.push(_linkedin_partner_id);',
      ),
      inline(keepsCalls('lintrk'), loads("'https://snap.licdn.com/li.lms-analytics/insight.min.js'")),
      noscriptImage(`https://px.ads.linkedin.com/collect/?pid=${account}&fmt=gif`),
    ].join('\n'),
  answers: {
    'snap.licdn.com/li.lms-analytics/insight.min.js': {
      script: `
        function send(name) {
          _linkedin_data_partner_ids.forEach(function (id) {
            image('https://px.ads.linkedin.com/collect?v=2&fmt=gif&pid=' + id + '&event=' + name)
          })
        }
        leave()
        send('page')
        answerCalls('lintrk', function (what, values) {
          if (what === 'track') send(values && values.conversion_id ? 'conversion-' + values.conversion_id : what)
        })`,
    },
    'px.ads.linkedin.com/collect': { redirect: () => 'https://www.linkedin.com/px/li_sync' },
    'www.linkedin.com/px/li_sync': { redirect: () => 'https://px4.ads.linkedin.com/collect' },
    'px4.ads.linkedin.com/collect': 'gif',
  },
  hear: inQuery('px.ads.linkedin.com/collect', 'event', 'pid'),
  pageView: 'page',
  leaves: { cookies: ['li_fat_id', 'ln_or'], local: ['li_adsId'] },
  needs: 'px.ads.linkedin.com',
}
