// @vitest-environment happy-dom
// @vitest-environment-options { "settings": { "navigation": { "disableMainFrameNavigation": true, "disableChildPageNavigation": true } } }
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OutboundClickHold } from './outbound-click.ts'

const HOLD_MS = 500
/** What Enter causes as well. */
const PLAIN: MouseEventInit = { bubbles: true, cancelable: true, button: 0 }

let outboundClicks: OutboundClickHold
/** Clicks that the page's listeners saw, and clicks that the browser was left to follow. */
let seen: number
let followed: string[]
/** Ends the listeners of this file and of the tested code. */
let ended: AbortController

beforeEach(() => {
  vi.useFakeTimers()
  seen = 0
  followed = []
  ended = new AbortController()
  const add = window.addEventListener.bind(window)
  vi.stubGlobal('addEventListener', (type: string, listener: EventListener, options?: boolean) =>
    add(type, listener, { capture: options === true, signal: ended.signal }),
  )
  document.body.innerHTML = `
    <a id="app" href="https://app.example/register" data-conversion="lead"><b>Abrir Conta</b></a>
    <a id="self" href="https://app.example/self" target="_self" data-conversion="lead"></a>
    <a id="tab" href="https://app.example/tab" target="_blank" data-conversion="contact"></a>
    <a id="file" href="https://app.example/file" download data-conversion="lead"></a>
    <a id="mail" href="mailto:a@app.example" data-conversion="contact"></a>
    <a id="other" href="https://app.example/other"></a>
    <button id="button" data-conversion="lead"></button>`
  // Like listeners of the page and of vendors.
  document.addEventListener('click', () => seen++, { signal: ended.signal })
  outboundClicks = new OutboundClickHold()
  // Instead of the browser, which would follow it.
  for (const link of document.querySelectorAll('a')) {
    const click = () => {
      const event = new MouseEvent('click', PLAIN)
      link.dispatchEvent(event)
      if (!event.defaultPrevented) followed.push(link.id)
    }
    vi.spyOn(link, 'click').mockImplementation(click)
  }
})
afterEach(() => {
  ended.abort()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Returns true if it is held. */
function press(selector: string, init: MouseEventInit = {}): boolean {
  const event = new MouseEvent('click', { ...PLAIN, ...init })
  document.querySelector(selector)?.dispatchEvent(event)
  return event.defaultPrevented
}

test('follows a conversion link once every frame has answered, and counts it once', () => {
  outboundClicks.asked('c', ['one', 'two'])
  expect(press('#app b')).toBe(true)
  outboundClicks.answered('c', 'one')
  outboundClicks.answered('c', 'one')
  outboundClicks.answered('another', 'two')
  outboundClicks.answered('c', 'three')
  expect(followed).toEqual([])
  outboundClicks.answered('c', 'two')
  expect(followed).toEqual(['app'])
  vi.advanceTimersByTime(HOLD_MS * 2)
  expect(followed).toEqual(['app'])
  expect(seen).toBe(1)
  // The next click works, and answered frames hold nothing.
  expect(press('#app')).toBe(false)
  expect(seen).toBe(2)
})

test('waits half a second for a frame that never answers', () => {
  outboundClicks.asked('c', ['silent'])
  expect(press('#app')).toBe(true)
  vi.advanceTimersByTime(HOLD_MS - 1)
  expect(followed).toEqual([])
  vi.advanceTimersByTime(1)
  expect(followed).toEqual(['app'])
  outboundClicks.answered('c', 'silent')
  expect(followed).toEqual(['app'])
})

test.each([
  ['with Control', '#app', { ctrlKey: true }],
  ['with Command', '#app', { metaKey: true }],
  ['with Shift', '#app', { shiftKey: true }],
  ['with Alt', '#app', { altKey: true }],
  ['the middle button', '#app', { button: 1 }],
  ['a new tab', '#tab', {}],
  ['a file', '#file', {}],
  ['an address of mail', '#mail', {}],
  ['a link that is no conversion', '#other', {}],
  ['no link at all', '#button', {}],
])('left to the browser: %s', (_, selector, init) => {
  outboundClicks.asked('c', ['one'])
  expect(press(selector, init)).toBe(false)
  vi.advanceTimersByTime(HOLD_MS)
  expect(followed).toEqual([])
})

test('left to the browser: without a frame to wait for, and what another listener prevented', () => {
  outboundClicks.asked('c', [])
  expect(press('#app')).toBe(false)
  outboundClicks.asked('d', ['one'])
  document.addEventListener('click', (event) => event.preventDefault(), { signal: ended.signal })
  expect(press('#app')).toBe(true)
  vi.advanceTimersByTime(HOLD_MS)
  expect(followed).toEqual([])
})

test('ignores a click that a script sends to the document', () => {
  const failed = vi.fn()
  addEventListener('error', failed)
  document.dispatchEvent(new MouseEvent('click', PLAIN))
  expect(failed).not.toHaveBeenCalled()
})

test('a second click is followed at once, on any link', () => {
  for (const second of ['#app', '#other', '#self']) {
    outboundClicks.asked('c', ['one'])
    expect(press('#app')).toBe(true)
    expect(press(second)).toBe(false)
    vi.advanceTimersByTime(HOLD_MS)
    outboundClicks.answered('c', 'one')
  }
  expect(followed).toEqual([])
})

test('a new tab meanwhile changes nothing', () => {
  outboundClicks.asked('c', ['one'])
  expect(press('#self')).toBe(true)
  expect(press('#self', { ctrlKey: true })).toBe(false)
  outboundClicks.answered('c', 'one')
  expect(followed).toEqual(['self'])
})

test('a page that was left otherwise does not navigate by itself when it comes back', () => {
  outboundClicks.asked('c', ['one'])
  expect(press('#app')).toBe(true)
  window.dispatchEvent(new Event('pagehide'))
  vi.advanceTimersByTime(HOLD_MS)
  outboundClicks.answered('c', 'one')
  expect(followed).toEqual([])
})
