import { cleanup, configure } from '@testing-library/react'
import { toast } from 'sonner'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { NOW } from './scripted-rows.ts'

configure({
  // Waiting ends with the fact; this is only for what never happens, on a machine that may be busy.
  asyncUtilTimeout: 10_000,
  // Whether something is hidden is asked by the few tests that are about it: it costs most of a query's time.
  defaultHidden: true,
  getElementError: (message) => new Error(message ?? 'not found'),
})

/** In a browser there is one; here each test opens the dashboard anew in the same window. */
const EACH_TEST_ITS_OWN_CLIENT = /Multiple GoTrueClient instances/

const complaints = vi.fn()

beforeEach(() => {
  // Time stands at one moment and goes on as fast as it does outside, unless a test moves it.
  vi.useFakeTimers({ now: new Date(NOW), shouldAdvanceTime: true })
  complaints.mockReset()
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(complaints)
})

afterEach(() => {
  toast.dismiss()
  cleanup()
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  expect(location.origin, 'the test navigated its window away').toBe('http://localhost:3000')
  expect(complaints.mock.calls.filter(([text]) => !EACH_TEST_ITS_OWN_CLIENT.test(String(text)))).toEqual([])
})
