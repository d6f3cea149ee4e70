import { MINUTE_MS } from '#contract/durations.ts'
import type { Conversion, DeliveryCheck } from './conversions.ts'
import type { PixelDelivery } from './pixel.ts'
import type { ServerEventName } from './server-event.ts'
import type { ConversionCall, ManifestTag } from './tag-manifest.ts'
import type { TagVerdict } from './tag-report.ts'
import type { HealthAction } from './tag-status.ts'

/** How long an unopened test, and the page that runs one, are valid. */
export const TEST_LIFE_MS = 10 * MINUTE_MS

/** Per pixel. */
export const TESTS_KEPT = 5

/** Limits of one page's reports, in total and at once. */
export const TEST_MAX_STEPS = 80

export const TEST_MAX_STEPS_AT_ONCE = 40

export const TEST_TEXT_MAX_LENGTH = 200

/** What the page under test may report; each kind explains its fields. */
export const TEST_STEP_KINDS = [
  'opened',
  'asked',
  /** `ok`: the choice allows the tag. */
  'chosen',
  /** One of our files with the pasted code loaded or not (`ok`). */
  'file',
  /** The file of a vendor's `host` loaded or not (`ok`), without our policy stopping it. */
  'script',
  /** Our policy stopped a request to `host`; `text` is the directive. */
  'stopped',
  /** A request to `host` ended with `verdict`; `ok` if it is this pixel's page view. */
  'request',
  /** A cookie named `text` appeared. */
  'cookie',
  /** Code of the tag threw `text`. */
  'error',
  /** A conversion; `ok` if the vendor's function existed, absent if nothing of the vendor runs on the page. */
  'conversion',
  /** Nothing more is expected. `ok` is false if a page view would have been seen and was not. */
  'settled',
  'left',
] as const

/** At most this many actions of the page are sent to the vendor by the server. */
export const TEST_MAX_COPIES = 8

/** One event that the server sent in the vendor's test mode. */
export interface TestCopy {
  event: ServerEventName
  /** In Portuguese: what the answer means, or why nothing was sent. */
  message: string
  /** What was sent and answered; null if nothing was sent. */
  check: DeliveryCheck | null
}

export interface TestStep {
  /** `copy` is the server's own, which no page can report. */
  kind: (typeof TEST_STEP_KINDS)[number] | 'copy'
  /** Milliseconds since the page was opened. */
  at: number
  ok?: boolean
  host?: string
  verdict?: TagVerdict
  /** The response status, if the browser tells it. */
  status?: number
  conversion?: Conversion
  /** For a conversion: the `event_id` of the browser's event. */
  id?: string
  text?: string
  copy?: TestCopy
}

/** Response of `POST /api/tag-tests` to a page with a token. */
export interface StartedTest {
  /** Allows the reports of this test for ten minutes, and nothing else. */
  key: string
  name: string
  tag: ManifestTag
  /** False if only the server sends: the page has nothing to run. */
  runs: boolean
  /** Made before the tag runs: they switch the vendors' test modes on. */
  testCalls: ConversionCall[]
  /** In Portuguese: whether the platform may count this visit. */
  notice: string
}

/** `waiting` for the site to be opened, `open` on the site, `done`, `left` before the end, `expired` unopened. */
export type TestState = 'waiting' | 'open' | 'done' | 'left' | 'expired'

/** The result of a test in words, and what to do next. */
export interface TestVerdict {
  /** As a pixel's health. */
  health: 'working' | 'partial' | 'broken' | 'waiting'
  confirmed: boolean
  title: string
  text: string
  action?: HealthAction
}

/** One of the last tests, as every administrator may see it. */
export interface TestSummary {
  id: string
  created_at: string
  by: string
  /** Whether the caller may see its steps. */
  is_mine: boolean
  state: TestState
  verdict: TestVerdict
}

/** `GET /admin/api/pixels/ID/tests/TEST`. */
export interface TagTest extends TestSummary {
  expires_at: string
  delivery: PixelDelivery
  /** True while the server waits for a vendor's answer. */
  awaits_copies: boolean
  steps: TestStep[]
}

/**
 * Body of `POST /admin/api/pixels/ID/tests`. Without a code, that of the caller's last test of this pixel is reused;
 * with an empty one nothing is sent to Meta.
 */
export interface NewTest {
  test_event_code?: string
}

/** The response: the only time that the address is returned. */
export interface CreatedTest {
  id: string
  url: string
  expires_at: string
}

// Separate from `tag-test.ts`: the page's first script needs only the first of these.

/** Fragment of a test's address. The token behind it opens one test, once. */
export const TEST_FRAGMENT = '#teste='

/** Query of a test's address: the server never sees the fragment, and must not count this visit. */
export const TEST_QUERY = 'teste'

/** Exchanges the token for what the page needs to run the test. */
export const TEST_START_PATH = '/api/tag-tests'

export const TEST_STEPS_PATH = '/api/tag-tests/steps'
