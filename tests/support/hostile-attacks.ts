/** Every attack, named as in `docs/reports/attacks.md`. */
export const ATTACKS: Record<string, string> = {
  'local-storage': 'read the session from `localStorage`',
  'session-storage': 'read it from `sessionStorage`, in the tab that the administrator used before',
  cookies: 'read it from `document.cookie`',
  'broadcast-channel': 'hear it on a `BroadcastChannel`',
  fetch:
    '`fetch` of `/auth/v1`, `/rest/v1` and `/admin`: every credentials mode, forged referrer, `only-if-cached`',
  xhr: '`XMLHttpRequest` to the same',
  beacon: '`sendBeacon` that inserts a pixel',
  form: 'form post that inserts a pixel',
  'script-element': '`<script src="/auth/v1/user">`: is an administrator signed in?',
  'frame-admin': 'frame `/admin` and script into it',
  'frame-asset': 'frame a built file and call the services from it',
  'frame-missing': 'frame a 404 and call the services from it',
  'frame-robots': 'frame `/robots.txt` and call the services from it',
  'frame-overflow': 'make Node answer 431 in a frame and call the services from it',
  'window-admin': 'open `/admin` in a window and script into it',
  'window-asset': 'open a built file and call the services from it',
  'window-missing': 'open a 404 and call the services from it',
  'window-robots': 'open `/robots.txt` and call the services from it',
  'window-overflow': 'open a 431 and call the services from it',
  'frame-spelled': 'frame `/%61dmin` and its kin and script into it',
  'window-spelled': 'open `/%61dmin` and its kin in a window and script into it',
  'window-admin-fetch': "open `/admin` and replace its `fetch` to see the dashboard's token",
  'window-spelled-fetch': "open `/%61dmin` and replace its `fetch` to see the dashboard's token",
  'fetch-spelled': '`fetch` of the services under an escaped path that begins with `/api/`',
  'named-window': "find the dashboard's window by its name and script into it",
  'service-worker': 'register a service worker from any path',
  worker: 'load `/tags/*.js` as a worker and call the services from it',
  speculation: 'have `/admin` prefetched or prerendered, with a session in it',
  'navigation-entries': "read the dashboard's addresses from `navigation.entries()`",
  plant: 'plant a session in storage, `window.name` and `history.state` for the dashboard to use',
  'forged-reports': 'forge policy reports about our own host, addresses and wildcards',
}

/**
 * One of each kind (storage, call, post, frame, window, springboard, worker, speculation, trust in what is found, reports),
 * made against a copy without protections too: an attack that works nowhere proves nothing.
 */
export const CONTROLS: readonly string[] = [
  'local-storage',
  'fetch',
  'form',
  'frame-admin',
  'window-admin',
  'frame-asset',
  'service-worker',
  'speculation',
  'plant',
  'forged-reports',
]

/** Attacks that need another document, or another spelling of a path, to call the services from. */
export const SPRINGBOARDS = /^(frame|window)-(?!admin)|^worker$|^fetch-spelled$/

/** Attacks that see their own success and work in every engine. */
export const ON_THEIR_OWN = Object.keys(ATTACKS).filter(
  (name) =>
    /^(frame|window)-/.test(name) ||
    ['local-storage', 'cookies', 'broadcast-channel', 'fetch', 'fetch-spelled', 'xhr'].includes(name) ||
    ['script-element', 'service-worker', 'worker'].includes(name),
)
