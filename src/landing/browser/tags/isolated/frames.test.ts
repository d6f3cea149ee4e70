// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import { TagRun } from '../run-tags.ts'
import { FrameElement } from './frame-element.ts'
import { openIsolatedFrames } from './frames.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const run = (id: string, room?: string) =>
  new TagRun({
    id,
    type: 'custom',
    category: 'marketing',
    vendorId: null,
    hosts: [],
    steps: [],
    ...(room && { room }),
  })

/** Opens five frames; a tag in the page has none. Returns how many each idle period opens, by its remaining time. */
function openFive(page: string, moments: (number[] | null)[]): number[] {
  const waiting: ((idle?: Pick<IdleDeadline, 'timeRemaining'>) => void)[] = []
  vi.stubGlobal('requestIdleCallback', (work: () => void) => waiting.push(work))
  const open = vi.spyOn(FrameElement.prototype, 'open').mockImplementation(() => {})
  const runs = [run('in page'), ...['a', 'b', 'c', 'd', 'e'].map((id) => run(page + id, id))]
  const byId = new Map(runs.map((each) => [each.tag.id, each]))
  openIsolatedFrames('set', byId, () => {})
  // A second choice opens none twice.
  openIsolatedFrames('set', byId, () => {})
  expect(open).not.toHaveBeenCalled()
  return moments.map((left) => {
    const before = open.mock.calls.length
    waiting.shift()?.(left === null ? undefined : { timeRemaining: () => left.shift() ?? 0 })
    return open.mock.calls.length - before
  })
}

test.each([
  [
    'all, where the page has nothing else to do',
    [[50, 40, 30, 20, 15], [50], [50], [50], [50]],
    [5, 0, 0, 0, 0],
  ],
  ['as many as there is time for', [[50, 20, 8], [50, 9], [50], [50], [50]], [3, 2, 0, 0, 0]],
  ['one each, where a page is never idle', [[0], [0], [0], [0], [0]], [1, 1, 1, 1, 1]],
  ['one each, where a browser does not tell', [null, null, null, null, null], [1, 1, 1, 1, 1]],
])('opens frames: %s', (name, moments, opened) => {
  expect(openFive(name, moments)).toEqual(opened)
})
