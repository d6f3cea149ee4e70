import { inBody } from './hear.ts'
import type { StandIn } from './stand-in.ts'

/** One file, one host, no cookie; the storage key that it reads belongs to the owner. */
export const plausible: StandIn = {
  vendor: 'plausible',
  account: 'portico.example',
  snippet: (account) =>
    `<script defer data-domain="${account}" src="https://plausible.io/js/script.js"></script>`,
  answers: {
    'plausible.io/js/script.js': {
      script: `
        var domain = document.currentScript.dataset.domain
        function send(name) { post('https://plausible.io/api/event', { n: name, d: domain }) }
        window.plausible = send
        send('pageview')`,
    },
    'plausible.io/api/event': { json: 'ok' },
  },
  hear: inBody('plausible.io/api/event', 'n', 'd'),
  pageView: 'pageview',
  leaves: {},
  needs: null,
}
