import { inline, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

const PATH = /^\/(\d+)\/log\/3\/unip$/

/** The account is in the path. One of its hosts never answers. */
export const taboolaPixel: StandIn = {
  vendor: 'taboola-pixel',
  account: '1738291',
  snippet: (account) =>
    inline(
      'window._tfa = window._tfa || [];',
      `window._tfa.push({notify: 'event', name: 'page_view', id: ${account}});`,
      loads(`'//cdn.taboola.com/libtrc/unip/${account}/tfa.js'`),
    ),
  answers: {
    'cdn.taboola.com/libtrc/unip/*': {
      script: `
        leave()
        fetch('https://psb.taboola.com/topics_api').catch(function () {})
        answerList('_tfa', function (entry) {
          if (entry.notify === 'event') image('https://trc.taboola.com/' + entry.id + '/log/3/unip?en=' + entry.name)
        })`,
    },
    'psb.taboola.com/topics_api': 'never',
    'trc.taboola.com/*': 'gif',
  },
  hear: ({ host, path, query }) => {
    const account = host === 'trc.taboola.com' ? PATH.exec(path)?.[1] : undefined
    return account === undefined ? null : { event: query.get('en') ?? '', account }
  },
  pageView: 'page_view',
  leaves: { cookies: ['t_gid', 't_pt_gid'], local: ['taboola global:user-id'] },
  needs: 'trc.taboola.com',
}
