/**
 * What the stand-ins answer: the shape of the vendors' libraries (queue taken over, commands answered with hits, cookies
 * set on our domain), without a line of theirs.
 */
export const VENDOR_SCRIPTS: Record<string, string> = {
  'connect.facebook.net/en_US/fbevents.js': `(function () {
    var ids = []
    function hit(id, name, eventId) {
      new Image().src = 'https://www.facebook.com/tr?id=' + id + '&ev=' + name + '&eid=' + (eventId || '')
    }
    function handle(command) {
      if (command[0] === 'init') ids.push(command[1])
      if (command[0] === 'track') ids.forEach(function (id) { hit(id, command[1], command[3] && command[3].eventID) })
    }
    document.cookie = '_fbp=fb.1.1; path=/'
    fbq.callMethod = function () { handle(arguments) }
    fbq.queue.forEach(handle)
  })()`,
  'www.googletagmanager.com/gtag/js': `(function () {
    var consent = {}, ids = []
    function hit(id, name, eventId) {
      navigator.sendBeacon('https://www.google-analytics.com/g/collect?tid=' + id + '&en=' + name + '&eid=' + (eventId || '') + '&gcs=' + consent.analytics_storage)
    }
    function handle(entry) {
      if (Object.prototype.toString.call(entry) !== '[object Arguments]') return
      if (entry[0] === 'consent') Object.assign(consent, entry[2])
      if (entry[0] === 'config') { ids.push(entry[1]); hit(entry[1], 'page_view') }
      if (entry[0] === 'event') ids.forEach(function (id) { hit(id, entry[1], entry[2].event_id) })
    }
    window.dataLayer.forEach(handle)
    var push = window.dataLayer.push
    window.dataLayer.push = function (entry) { push.call(window.dataLayer, entry); handle(entry) }
    document.cookie = '_ga=GA1.1.1; path=/'
    document.cookie = '_ga_ABC=GS1; path=/'
  })()`,
  'www.googletagmanager.com/gtm.js': `(function () {
    var script = document.createElement('script')
    script.src = 'https://unlisted.vendor-cdn.com/from-container.js'
    document.head.append(script)
    new Image().src = 'https://www.googletagmanager.com/a?loaded=1'
  })()`,
  'unlisted.vendor-cdn.com/from-container.js': `window.fromContainer = true`,
}
