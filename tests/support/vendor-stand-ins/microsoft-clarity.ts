import { inBody } from './hear.ts'
import { inline } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/**
 * Three hosts of its own and one of Bing: a loader, the library, the collector, and an image redirected through Bing.
 */
export const microsoftClarity: StandIn = {
  vendor: 'microsoft-clarity',
  account: 'pq7rtz4k2m',
  snippet: (account) =>
    inline(
      `(function (c, l, a, r, i) {
  c[a] = c[a] || function () { (c[a].queue = c[a].queue || []).push(arguments) };
  var t = l.createElement(r); t.async = 1; t.src = 'https://www.clarity.ms/tag/' + i; l.head.appendChild(t)
})(window, document, "clarity", "script", "${account}");`,
    ),
  answers: {
    'www.clarity.ms/tag/*': {
      script: `
        window.clarityProject = self.split('/').pop()
        load('https://scripts.clarity.ms/0.8/clarity.js')
        image('https://c.clarity.ms/c.gif')`,
    },
    'scripts.clarity.ms/0.8/clarity.js': {
      script: `
        function upload(name) { post('https://k.clarity.ms/collect', { e: name, p: clarityProject }) }
        leave()
        upload('page')
        answerCalls('clarity', function (name, value) { if (name === 'event') upload(value) })`,
    },
    'c.clarity.ms/c.gif': { redirect: () => 'https://c.bing.com/c.gif' },
    'c.bing.com/c.gif': 'gif',
    'k.clarity.ms/collect': { json: '' },
  },
  hear: inBody('k.clarity.ms/collect', 'e', 'p'),
  pageView: 'page',
  leaves: { cookies: ['_clck', '_clsk'], session: ['_cltk'] },
  needs: 'scripts.clarity.ms',
}
