// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { TAG_ERROR_MAX_LENGTH, TAG_REPORT_MAX_STOPPED, type TagReport } from '#contract/tag-report.ts'
import { watchRuns } from './observe.ts'
import { SETTLE_MS } from './requests.ts'
import { TagRun } from './run-tags.ts'

const HIT = { hosts: ['hit.vendor.com'], id: '482910377165024' }
const tag = (id: string, change: Partial<ManifestTag> = {}): ManifestTag => ({
  id,
  type: 'custom',
  category: 'marketing',
  vendorId: null,
  hosts: ['cdn.vendor.com', 'hit.vendor.com'],
  steps: [{ kind: 'own', src: `/tags/${id}.js`, attributes: {} }],
  ...change,
})

type Entry = Pick<PerformanceResourceTiming, 'name' | 'duration' | 'startTime'> &
  Partial<PerformanceResourceTiming>

let entries: Entry[]
let reports: TagReport[]
let sent: Promise<unknown>[]
const removers: (() => void)[] = []
beforeEach(() => {
  vi.useFakeTimers()
  entries = []
  reports = []
  sent = []
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      #observes = false
      observe({ type }: { type: string }) {
        this.#observes = type === 'resource'
      }
      takeRecords() {
        return this.#observes ? entries.splice(0) : []
      }
      disconnect() {}
    },
  )
  navigator.sendBeacon = (_path, body) => {
    sent.push((body as Blob).text().then((text) => reports.push(JSON.parse(text))))
    return true
  }
  // Listeners of one test must not run in the next.
  for (const target of [window, document]) {
    const add = target.addEventListener.bind(target)
    vi.spyOn(target, 'addEventListener').mockImplementation(
      (type: string, listener: EventListenerOrEventListenerObject, options?: unknown) => {
        removers.push(() => target.removeEventListener(type, listener, options as boolean))
        add(type, listener, options as boolean)
      },
    )
  }
})
afterEach(() => {
  for (const remove of removers.splice(0)) remove()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

function watch(...tags: ManifestTag[]) {
  const runs = new Map(tags.map((one) => [one.id, new TagRun(one)]))
  const watched = watchRuns('set', runs)
  const start = () => {
    for (const run of runs.values()) run.note('ran')
    watched.settled()
  }
  const run = (id: string) => runs.get(id) as TagRun
  return { start, run, settled: watched.settled }
}

async function sentReports(): Promise<TagReport[]> {
  await Promise.all(sent)
  return reports
}

/** Ended now, and answered as far as the browser can tell. */
const request = (address: string, change: Partial<Entry> = {}): Entry => ({
  name: address,
  initiatorType: 'img',
  duration: 10,
  startTime: performance.now() - 10,
  nextHopProtocol: 'h2',
  responseStart: 1,
  ...change,
})
const HIT_SENT = `https://hit.vendor.com/tr?id=${HIT.id}&ev=PageView`

test("reports a tag once, when it has settled, with the page's tag set", async () => {
  const { start, settled } = watch(tag('a'))
  start()
  vi.advanceTimersByTime(SETTLE_MS - 1)
  expect(await sentReports()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(await sentReports()).toMatchObject([
    { set: 'set', results: [{ id: 'a', outcome: 'ran' }], sees_all: false },
  ])
  settled()
  vi.advanceTimersByTime(60_000)
  window.dispatchEvent(new Event('pagehide'))
  expect(await sentReports()).toHaveLength(1)
})

test.each([
  [0, 0],
  [0.099, 0],
  [0.1, undefined],
  [0.999, undefined],
])('one visit in ten reports costs: with a chance of %d, %s ms', async (chance, ms) => {
  vi.spyOn(Math, 'random').mockReturnValue(chance)
  Object.assign(PerformanceObserver, { supportedEntryTypes: ['long-animation-frame'] })
  const { start } = watch(tag('a'))
  await vi.dynamicImportSettled()
  start()
  entries.push(request('https://cdn.vendor.com/lib.js'))
  vi.advanceTimersByTime(SETTLE_MS)
  const [report] = await sentReports()
  expect(report?.results[0]?.ms).toBe(ms)
  expect(report?.results[0]?.requests).toBe(ms === undefined ? undefined : 1)
  expect(report?.unattributed_ms).toBe(ms)
})

test('limits the reported violations to the size of a report', async () => {
  const { start } = watch(tag('a'))
  start()
  for (let host = 0; host < 2 * TAG_REPORT_MAX_STOPPED; host++)
    violate(`https://h${host}.vendor.com/`, 'img-src')
  vi.advanceTimersByTime(SETTLE_MS)
  const [report] = await sentReports()
  expect(report?.stopped).toHaveLength(TAG_REPORT_MAX_STOPPED)
})

test('does not report what never started', async () => {
  const { settled } = watch(tag('a'))
  settled()
  vi.advanceTimersByTime(60_000)
  window.dispatchEvent(new Event('pagehide'))
  expect(await sentReports()).toEqual([])
})

test('reports an observed page view at once, with its host', async () => {
  const { start } = watch(tag('a', { hit: HIT }))
  start()
  entries.push(request(HIT_SENT))
  vi.advanceTimersByTime(SETTLE_MS)
  expect(await sentReports()).toMatchObject([
    { results: [{ id: 'a', outcome: 'ran', hit: 'answered' }], hosts: { 'hit.vendor.com': 'answered' } },
  ])
})

test('waits while the vendor may still send, then reports that nothing came', async () => {
  const { start } = watch(tag('a', { hit: HIT }))
  start()
  vi.advanceTimersByTime(2_000)
  entries.push(request('https://cdn.vendor.com/second.js', { initiatorType: 'script' }))
  vi.advanceTimersByTime(SETTLE_MS - 2_000)
  expect(await sentReports()).toEqual([])
  vi.advanceTimersByTime(2_000)
  expect(await sentReports()).toMatchObject([{ results: [{ id: 'a', hit: 'none' }] }])
})

test('without any request of the vendor, waits and reports nothing about a page view', async () => {
  const { start } = watch(tag('a', { hit: HIT }))
  start()
  vi.advanceTimersByTime(15_999)
  expect(await sentReports()).toEqual([])
  vi.advanceTimersByTime(1)
  const [report] = await sentReports()
  expect(report?.results).toEqual([{ id: 'a', outcome: 'ran' }])
})

test('reports what was seen when the visitor leaves early, without counting a missing page view', async () => {
  const { start } = watch(tag('a', { hit: HIT }))
  start()
  entries.push(request('https://cdn.vendor.com/second.js', { startTime: -60_000 }))
  window.dispatchEvent(new Event('pagehide'))
  const [report] = await sentReports()
  expect(report?.results).toEqual([{ id: 'a', outcome: 'ran' }])
})

test('an error in a tag’s own file is its failure, cut to the size of a report', async () => {
  const { start } = watch(tag('a'), tag('b'))
  const message = 'x'.repeat(2 * TAG_ERROR_MAX_LENGTH)
  window.dispatchEvent(new ErrorEvent('error', { filename: `${location.origin}/tags/b.js`, message }))
  window.dispatchEvent(
    new ErrorEvent('error', { filename: `${location.origin}/assets/boot.js`, message: 'no' }),
  )
  start()
  vi.advanceTimersByTime(SETTLE_MS)
  expect((await sentReports())[0]?.results).toEqual([
    { id: 'a', outcome: 'ran' },
    { id: 'b', outcome: 'failed', error: 'x'.repeat(TAG_ERROR_MAX_LENGTH) },
  ])
})

function failToLoad(address: string): void {
  const script = document.createElement('script')
  script.type = 'text/plain'
  script.src = address
  document.head.append(script)
  script.dispatchEvent(new Event('error'))
  script.remove()
}

function violate(blockedURI: string, effectiveDirective: string, sourceFile = ''): void {
  document.dispatchEvent(
    Object.assign(new Event('securitypolicyviolation'), { blockedURI, effectiveDirective, sourceFile }),
  )
}

test.each<[string, string, string[]]>([
  ['names it', 'https://cdn.vendor.com/base.js', ['named']],
  ['carries its ID', 'https://cdn.vendor.com/config?id=222', ['second']],
  ['is of its host, whoever it was', 'https://cdn.vendor.com/other.js', ['first', 'second', 'named']],
  ['is of nobody’s host', 'https://elsewhere.com/x.js', []],
])('attributes a script that did not load to the tag that %s', (_what, address, blocked) => {
  const { run } = watch(
    tag('first', { vendorId: '111' }),
    tag('second', { hit: { ...HIT, id: '222' } }),
    tag('named', {
      steps: [{ kind: 'image', src: 'https://cdn.vendor.com/base.js' }],
    }),
  )
  failToLoad(address)
  expect(['first', 'second', 'named'].filter((id) => run(id).outcome === 'blocked')).toEqual(blocked)
})

test.each<[string, string, string, string, string]>([
  [
    'a script that its own file asked for',
    'https://elsewhere.com/x.js',
    'script-src-elem',
    '/tags/a.js',
    'stopped',
  ],
  ['a script of nobody’s file', 'https://elsewhere.com/x.js', 'script-src-elem', '/assets/x.js', 'ran'],
  ['a picture that its own file asked for', 'https://elsewhere.com/x.gif', 'img-src', '/tags/a.js', 'ran'],
  ['a picture that is a step of it', 'https://cdn.vendor.com/p.gif', 'img-src', '', 'stopped'],
])('%s, stopped by our policy', (_what, address, directive, file, outcome) => {
  const steps = tag('a').steps
  const { start, run } = watch(
    tag('a', { steps: [...steps, { kind: 'image', src: 'https://cdn.vendor.com/p.gif' }] }),
  )
  start()
  violate(address, directive, file === '' ? '' : location.origin + file)
  expect(run('a').outcome).toBe(outcome)
})

test('ignores an invalid address', () => {
  const { run } = watch(tag('a'))
  expect(() => failToLoad('https://[')).not.toThrow()
  expect(run('a').outcome).toBeNull()
})

test('reports a loaded image in a browser that reports no requests', async () => {
  const { start } = watch(tag('a', { hit: HIT }))
  start()
  entries.push(request(HIT_SENT, { nextHopProtocol: '', responseStart: 0 }))
  const picture = document.createElement('img')
  picture.src = HIT_SENT
  document.body.append(picture)
  picture.dispatchEvent(new Event('load'))
  picture.remove()
  vi.advanceTimersByTime(SETTLE_MS)
  expect((await sentReports())[0]?.results).toMatchObject([{ hit: 'answered' }])
})

test('more requests may come until the last one has ended for long enough', async () => {
  const { start } = watch(tag('a', { hit: HIT }))
  start()
  const slow = { initiatorType: 'script', startTime: performance.now(), duration: 900 }
  vi.advanceTimersByTime(900)
  entries.push(request('https://cdn.vendor.com/second.js', slow))
  vi.advanceTimersByTime(SETTLE_MS - 900)
  expect(await sentReports()).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect((await sentReports())[0]?.results).toMatchObject([{ hit: 'none' }])
})

test('reports what our policy stopped as ours, not as a blocker’s', async () => {
  const { start, run } = watch(tag('a'), tag('b', { hosts: ['other.com'] }))
  start()
  violate('https://cdn.vendor.com/second.js', 'script-src-elem', `${location.origin}/tags/a.js`)
  failToLoad('https://cdn.vendor.com/second.js')
  expect([run('a').outcome, run('b').outcome]).toEqual(['stopped', 'ran'])
  // A stopped image of the tag itself; one that only its file requested is reported by host and is no failure of the
  // tag.
  violate('https://elsewhere.com/x.gif', 'img-src', `${location.origin}/tags/b.js`)
  expect(run('b').outcome).toBe('ran')
  vi.advanceTimersByTime(SETTLE_MS)
  const [report] = await sentReports()
  expect(report?.stopped?.map(({ host }) => host)).toEqual([
    'https://cdn.vendor.com',
    'https://elsewhere.com',
  ])
})

test('a page view that a browser saw fail counts as blocked', async () => {
  vi.stubGlobal('mozInnerScreenX', 0)
  const { start } = watch(tag('a', { hit: HIT }))
  start()
  const unanswered = { duration: 0, nextHopProtocol: '', responseStart: 0, startTime: 123.4 }
  entries.push(request(HIT_SENT, unanswered))
  vi.advanceTimersByTime(SETTLE_MS)
  expect(await sentReports()).toMatchObject([
    { results: [{ id: 'a', outcome: 'blocked', hit: 'failed' }], sees_all: true },
  ])
})
