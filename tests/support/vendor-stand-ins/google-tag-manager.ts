import { generateSnippet } from '#contract/pixel-snippet.ts'
import { inQuery } from './hear.ts'
import type { StandIn } from './stand-in.ts'

/** A container loads what it wants, here a file of an unlisted host, and gets the site's own events. */
export const googleTagManager: StandIn = {
  vendor: 'google-tag-manager',
  account: 'GTM-PRT1C0',
  snippet: (account) => generateSnippet('google_tag_manager', account),
  answers: {
    'www.googletagmanager.com/gtm.js': {
      script: `
        var id = new URL(self).searchParams.get('id')
        function tell(name) { image('https://www.googletagmanager.com/a?e=' + name + '&id=' + id) }
        load('https://unlisted.vendor-cdn.com/from-container.js')
        tell('loaded')
        var push = dataLayer.push
        dataLayer.push = function (entry) {
          push.call(dataLayer, entry)
          if (entry.event) tell(entry.event)
        }`,
    },
    'unlisted.vendor-cdn.com/from-container.js': { script: 'window.fromContainer = true' },
    'www.googletagmanager.com/a': 'gif',
  },
  hear: inQuery('www.googletagmanager.com/a', 'e', 'id'),
  pageView: 'loaded',
  leaves: {},
  needs: null,
}
