// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import { findOwners } from './observe.ts'
import { TagRun } from './run-tags.ts'
import { watchCost } from './watch-cost.ts'

const run = (id: string, hosts: string[], vendorId: string | null = null) =>
  new TagRun({
    id,
    type: 'custom',
    category: 'marketing',
    vendorId,
    hosts,
    steps: [{ kind: 'own', src: `/tags/${id}.js`, attributes: {} }],
  } satisfies ManifestTag)
const a = run('a', ['cdn.a.com', '*.shared.com'], '482910377165024')
const b = run('b', ['cdn.b.com', '*.shared.com'], '777777777777777')
const runs = new Map([a, b].map((each) => [each.tag.id, each]))

type Script = { sourceURL: string; duration: number }
let observers: {
  isOn: boolean
  type: string
  hear(list: { getEntries(): object[] }): void
  report(scripts: Script[]): void
}[] = []
let waiting: Script[] = []

function stubBrowser({ types = ['resource', 'long-animation-frame'] } = {}) {
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      static supportedEntryTypes = types
      isOn = false
      type = ''
      hear: (list: { getEntries(): object[] }) => void
      constructor(hear: (list: { getEntries(): object[] }) => void) {
        this.hear = hear
        observers.push(this)
      }
      observe({ type }: { type: string }) {
        Object.assign(this, { isOn: true, type })
      }
      takeRecords = () => [{ name: '', scripts: waiting.splice(0) }]
      disconnect() {
        this.isOn = false
      }
      report = (scripts: Script[]) => this.hear({ getEntries: () => [{ scripts }] })
    },
  )
}
afterEach(() => {
  observers = []
  waiting = []
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('attributes time by file or host; what none or several may own is attributed to no tag', () => {
  stubBrowser()
  const take = watchCost(runs, findOwners)
  expect(observers).toMatchObject([{ isOn: true, type: 'long-animation-frame' }])
  observers[0]?.report([
    { sourceURL: `${location.origin}/tags/a.js`, duration: 120.4 },
    { sourceURL: 'https://cdn.a.com/lib.js', duration: 30 },
    { sourceURL: 'https://x.shared.com/lib.js?id=777777777777777', duration: 7 },
    // Loaded once for both of them.
    { sourceURL: 'https://x.shared.com/lib.js', duration: 50 },
    // After an awaited timer.
    { sourceURL: '', duration: 10.2 },
    { sourceURL: `${location.origin}/assets/boot.js`, duration: 5 },
  ])
  waiting.push({ sourceURL: `${location.origin}/tags/a.js`, duration: 60 })
  const costOf = take?.([
    'https://cdn.a.com/lib.js',
    'https://cdn.a.com/hit',
    'https://x.shared.com/tr?id=482910377165024',
    'https://x.shared.com/lib.js',
    'https://elsewhere.com/',
  ])
  expect(costOf?.(a)).toEqual({ ms: 210, requests: 3 })
  expect(costOf?.(b)).toEqual({ ms: 7, requests: 0 })
  expect(costOf?.(undefined).ms).toBe(65)
  expect(observers).toMatchObject([{ isOn: false }])
})

test('in an isolated frame, everything long belongs to its tag, and not what other frames take', () => {
  stubBrowser({ types: ['longtask'] })
  vi.stubGlobal('top', {})
  const take = watchCost(new Map([['a', a]]), findOwners)
  expect(observers).toMatchObject([{ isOn: true, type: 'longtask' }])
  observers[0]?.hear({
    getEntries: () => [
      { name: 'self', duration: 120.4 },
      { name: 'cross-origin-ancestor', duration: 900 },
    ],
  })
  const costOf = take?.(['https://cdn.b.com/hit'])
  expect(costOf?.(a)).toEqual({ ms: 120, requests: 1 })
  expect(costOf?.(undefined).ms).toBe(0)
})

test('reports at most a minute for a visit that froze', () => {
  stubBrowser()
  const take = watchCost(runs, findOwners)
  observers[0]?.report([{ sourceURL: 'https://cdn.a.com/lib.js', duration: 61_234 }])
  expect(take?.([])(a).ms).toBe(60_000)
})

test.each([
  ['a browser without long animation frames', { types: ['resource', 'longtask'] }],
  ['a browser that lists nothing', { types: undefined }],
])('%s: observes and reports nothing', (_name, browser) => {
  stubBrowser(browser)
  if ('types' in browser && browser.types === undefined)
    Object.assign(PerformanceObserver, { supportedEntryTypes: undefined })
  expect(watchCost(runs, findOwners)).toBeUndefined()
  expect(observers).toEqual([])
})
