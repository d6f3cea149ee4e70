import { inBody } from './hear.ts'
import { inline, keepsCalls, loads } from './snippet.ts'
import type { StandIn } from './stand-in.ts'

/** Its messenger comes from a content network, answers a ping, and opens a socket that is never accepted. */
export const intercom: StandIn = {
  vendor: 'intercom',
  account: 'w4k7p2zq',
  snippet: (account) =>
    inline(
      `window.intercomSettings = { api_base: 'https://api-iam.intercom.io', app_id: '${account}' };`,
      keepsCalls('Intercom'),
      loads(`'https://widget.intercom.io/widget/${account}'`),
    ),
  answers: {
    'widget.intercom.io/widget/*': { script: `load('https://js.intercomcdn.com/vendor-modern.js')` },
    'js.intercomcdn.com/vendor-modern.js': {
      script: `
        function send(name) {
          post('https://api-iam.intercom.io/messenger/web/ping', { event: name, app_id: intercomSettings.app_id })
        }
        leave()
        send('ping')
        try { new WebSocket('wss://nexus-websocket-a.intercom.io/pubsub') } catch (error) {}
        answerCalls('Intercom', function (what, value) { if (what === 'trackEvent') send(value) })`,
    },
    'api-iam.intercom.io/messenger/web/ping': { json: { app: {} } },
    'nexus-websocket-a.intercom.io/*': 'never',
  },
  hear: inBody('api-iam.intercom.io/messenger/web/ping', 'event', 'app_id'),
  pageView: 'ping',
  leaves: {
    cookies: ['intercom-id-w4k7p2zq', 'intercom-session-w4k7p2zq'],
    local: ['intercom.intercom-state-w4k7p2zq'],
  },
  needs: 'js.intercomcdn.com',
}
