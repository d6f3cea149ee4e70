import { inline } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

const ID = /^pr_(\w+)_(\w+)$/

/** Frames only: the event is in the address of a hidden one. */
export const rtbHouse: StandIn = {
  vendor: 'rtb-house',
  account: 'Zt4KqW8mNc2XvR6bYp1L',
  snippet: (account) =>
    inline(
      `(function (w, d, name, id) {
  w[name] = w[name] || [];
  w[name].push({ eventType: 'home' });
  var s = d.createElement('script'); s.async = true; s.src = 'https://tags.creativecdn.com/' + id + '.js';
  d.head.appendChild(s)
})(window, document, 'rtbhEvents', '${account}');`,
    ),
  answers: {
    'tags.creativecdn.com/*': {
      script: `
        var id = self.split('/').pop().replace('.js', '')
        leave()
        answerList('rtbhEvents', function (event) {
          frame('https://us.creativecdn.com/tags?id=pr_' + id + '_' + event.eventType)
        })`,
    },
    'us.creativecdn.com/tags': 'frame',
  },
  hear: ({ host, query }) => {
    const [, account, event] = ID.exec((host === 'us.creativecdn.com' && query.get('id')) || '') ?? []
    return account === undefined || event === undefined ? null : { event, account }
  },
  pageView: 'home',
  leaves: { cookies: ['__rtbh.uid', '__rtbh.lid'] },
  needs: 'us.creativecdn.com',
}
