import type { StandIn } from './stand-in.ts'

/** What every stand-in's script may use: common behaviour of vendors' libraries. */
const COMMON = `
  var self = document.currentScript ? document.currentScript.src : ''
  function load(src) {
    var script = document.createElement('script')
    script.async = true
    script.src = src
    document.head.append(script)
  }
  function image(src) { new Image().src = src }
  function beacon(url, data) { navigator.sendBeacon(url, data === undefined ? null : JSON.stringify(data)) }
  function post(url, data) {
    return fetch(url, { method: 'POST', body: JSON.stringify(data), keepalive: true }).catch(function () {})
  }
  function frame(src) {
    var element = document.createElement('iframe')
    element.hidden = true
    element.src = src
    document.body.append(element)
  }
  function once(name) {
    if (name in window) return false
    return (window[name] = true)
  }
  function write(names) {
    // On the widest domain that takes it, as they all do.
    var labels = location.hostname.split('.')
    var domain = labels.length > 1 ? '; domain=' + labels.slice(-2).join('.') : ''
    names.cookies.forEach(function (name) { document.cookie = name + '=1; path=/; max-age=86400' + domain })
    names.local.forEach(function (key) { localStorage.setItem(key, '1') })
    names.session.forEach(function (key) { sessionStorage.setItem(key, '1') })
  }
  // A function that kept its calls until the library came.
  function answerCalls(name, handle) {
    var kept = window[name].queue || []
    window[name] = function () { handle.apply(null, arguments) }
    for (var i = 0; i < kept.length; i++) handle.apply(null, kept[i])
  }
  // A list that others push to.
  function answerList(name, handle) {
    var kept = window[name] || []
    window[name] = { push: function () { for (var i = 0; i < arguments.length; i++) handle(arguments[i]) } }
    for (var i = 0; i < kept.length; i++) handle(kept[i])
  }
  // A list with methods that push their name and arguments to it.
  function answerMethods(name, methods) {
    var kept = window[name]
    window[name] = methods
    for (var i = 0; i < kept.length; i++) methods[kept[i][0]].apply(methods, kept[i].slice(1))
  }`

/** A script for the browser: `leave()` writes what this vendor leaves behind. */
export function toLibrary(script: string, { leaves }: Pick<StandIn, 'leaves'>): string {
  const { cookies = [], local = [], session = [] } = leaves
  return `(function () {${COMMON}
  function leave() { write(${JSON.stringify({ cookies, local, session })}) }
  ${script}
})()`
}
