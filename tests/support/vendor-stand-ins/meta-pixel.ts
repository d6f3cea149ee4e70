import { generateSnippet } from '#contract/pixel-snippet.ts'
import { inQuery } from './hear.ts'
import type { StandIn } from './stand-in.ts'

/**
 * An account of zeros does not exist: its configuration comes with status 200 and says so, and nothing is sent for it.
 */
export const metaPixel: StandIn = {
  vendor: 'meta-pixel',
  account: '482910377165024',
  snippet: (account) => generateSnippet('meta', account),
  answers: {
    'connect.facebook.net/en_US/fbevents.js': {
      script: `
        var waiting = {}, ready = {}
        function send(id, name, eventId) {
          image('https://www.facebook.com/tr?id=' + id + '&ev=' + name + '&eid=' + (eventId || ''))
        }
        fbq.known = function (id) {
          ready[id] = true
          waiting[id].splice(0).forEach(function (event) { send(id, event[0], event[1]) })
        }
        function handle(command) {
          if (command[0] === 'init' && !waiting[command[1]]) {
            waiting[command[1]] = []
            load('https://connect.facebook.net/signals/config/' + command[1])
          }
          if (command[0] !== 'track') return
          Object.keys(waiting).forEach(function (id) {
            var event = [command[1], command[3] && command[3].eventID]
            if (ready[id]) send(id, event[0], event[1])
            else waiting[id].push(event)
          })
        }
        leave()
        fbq.callMethod = function () { handle(arguments) }
        fbq.queue.splice(0).forEach(handle)`,
    },
    'connect.facebook.net/signals/config/*': {
      script: `
        var id = self.split('/').pop()
        if (/^0+$/.test(id)) console.info('Pixel ' + id + ' is unavailable')
        else fbq.known(id)`,
    },
    'www.facebook.com/tr': 'gif',
  },
  hear: inQuery('www.facebook.com/tr', 'ev', 'id'),
  pageView: 'PageView',
  leaves: { cookies: ['_fbp'], local: ['lastExternalReferrer', 'lastExternalReferrerTime'] },
  needs: 'www.facebook.com',
}
