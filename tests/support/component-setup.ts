import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { dismissMessages } from '#admin/components/toast.tsx'
import { NOW } from './scripted-rows.ts'

configure({
  // Waiting ends with the fact; this is only for what never happens, on a machine that may be busy.
  asyncUtilTimeout: 30_000,
  getElementError: (message) => new Error(message ?? 'not found'),
})

/** A browser has one; here each test opens the dashboard again in the same window. */
const EACH_TEST_ITS_OWN_CLIENT = /Multiple GoTrueClient instances/

const complaints = vi.fn()

beforeEach(() => {
  // Starts at a fixed time and advances at normal speed, unless a test moves it.
  vi.useFakeTimers({ now: new Date(NOW), shouldAdvanceTime: true })
  complaints.mockReset()
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(complaints)
})

afterEach(() => {
  dismissMessages()
  cleanup()
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  expect(location.origin, 'the test navigated its window away').toBe('http://localhost:3000')
  expect(complaints.mock.calls.filter(([text]) => !EACH_TEST_ITS_OWN_CLIENT.test(String(text)))).toEqual([])
})
