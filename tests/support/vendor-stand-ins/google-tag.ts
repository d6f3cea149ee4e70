export const ANALYTICS_LEAVES = { cookies: ['_ga', '_ga_ABC'] }
export const ADS_LEAVES = { cookies: ['_gcl_au'], local: ['_gcl_ls'] }

/**
 * The library that Analytics and Ads share: it serves all configured IDs. Its commands are `arguments` objects in
 * `dataLayer`; anything else is ignored.
 */
export const GOOGLE_TAG = `
  if (!once('googleTagIsHere')) return
  var consent = {}, measured = []
  function collect(id, name, eventId) {
    var url = 'https://www.google-analytics.com/g/collect?v=2&tid=' + id + '&en=' + name + '&eid=' + (eventId || '') + '&gcs=' + consent.analytics_storage
    navigator.sendBeacon(url)
  }
  function configure(id) {
    if (id.indexOf('AW-') === 0) {
      write(${JSON.stringify({ session: [], ...ADS_LEAVES })})
      image('https://googleads.g.doubleclick.net/pagead/viewthroughconversion/' + id.slice(3) + '/?en=page_view')
    } else {
      write(${JSON.stringify({ local: [], session: [], ...ANALYTICS_LEAVES })})
      measured.push(id)
      collect(id, 'page_view')
    }
  }
  function convert(name, values) {
    var target = values && values.send_to
    if (target && target.indexOf('AW-') === 0) {
      var parts = target.slice(3).split('/')
      image('https://www.googleadservices.com/pagead/conversion/' + parts[0] + '/?en=' + name + '&label=' + (parts[1] || ''))
    } else if (target) collect(target, name, values.event_id)
    else measured.forEach(function (id) { collect(id, name, values && values.event_id) })
  }
  function handle(entry) {
    if (Object.prototype.toString.call(entry) !== '[object Arguments]') return
    if (entry[0] === 'consent') Object.assign(consent, entry[2])
    if (entry[0] === 'config') configure(entry[1])
    if (entry[0] === 'event') convert(entry[1], entry[2])
  }
  dataLayer.forEach(handle)
  var push = dataLayer.push
  dataLayer.push = function (entry) { push.call(dataLayer, entry); handle(entry) }`
