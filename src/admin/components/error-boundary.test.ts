import { afterEach, expect, test, vi } from 'vitest'
import { loadWhenIdle } from './error-boundary.tsx'

afterEach(() => vi.unstubAllGlobals())

test('preloads without waiting for an idle period that never comes', () => {
  const idle = vi.fn<typeof requestIdleCallback>()
  vi.stubGlobal('window', { requestIdleCallback: idle })
  vi.stubGlobal('requestIdleCallback', idle)
  const load = vi.fn(() => Promise.reject(new Error('offline')))
  loadWhenIdle([{ load }])
  expect(load).not.toHaveBeenCalled()
  const [work, options] = idle.mock.calls[0] ?? []
  expect(options?.timeout).toBeGreaterThan(0)
  work?.({ didTimeout: true, timeRemaining: () => 0 })
  expect(load).toHaveBeenCalledOnce()
})
