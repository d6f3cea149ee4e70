import { inBody } from './hear.ts'
import type { StandIn } from './stand-in.ts'

/** One file, and a collector under another name; the storage key that it reads belongs to the owner. */
export const umami: StandIn = {
  vendor: 'umami',
  account: '8d4e2b1a-7c65-4f90-a3d2-6b5e9f1c0784',
  snippet: (account) =>
    `<script defer src="https://cloud.umami.is/script.js" data-website-id="${account}"></script>`,
  answers: {
    'cloud.umami.is/script.js': {
      script: `
        var website = document.currentScript.dataset.websiteId
        function send(name) { post('https://gateway.umami.is/api/send', { name: name || 'pageview', website: website }) }
        window.umami = { track: send }
        send()`,
    },
    'gateway.umami.is/api/send': { json: {} },
  },
  hear: inBody('gateway.umami.is/api/send', 'name', 'website'),
  pageView: 'pageview',
  leaves: {},
  needs: 'gateway.umami.is',
}
