import type { Conversion, DeliveryCheck } from './conversions.ts'
import type { PixelDelivery } from './pixel.ts'
import type { ServerEventName } from './server-event.ts'
import type { ConversionCall, ManifestTag } from './tag-manifest.ts'
import type { TagVerdict } from './tag-report.ts'
import type { HealthAction } from './tag-status.ts'

/** A test that nobody opened, and the page that runs one, have so long. */
export const TEST_LIFE_MS = 10 * 60_000

/** Of each pixel. */
export const TESTS_KEPT = 5

/** What one page may report in all, and at once. */
export const TEST_MAX_STEPS = 80

export const TEST_MAX_STEPS_AT_ONCE = 40

export const TEST_TEXT_MAX_LENGTH = 200

/** What the page under test may report; what each means stands at the fields that it has. */
export const TEST_STEP_KINDS = [
  'opened',
  'asked',
  /** `ok`: the choice allows the tag. */
  'chosen',
  /** A file of ours with the pasted code came, or did not (`ok`). */
  'file',
  /** The file of a vendor's `host` came, or did not (`ok`) without our policy having stopped it. */
  'script',
  /** Our policy stopped something on its way to `host`; `text` is the part of the policy. */
  'stopped',
  /** A request to `host` ended as `verdict` says; `ok` when it carries this pixel's page view. */
  'request',
  /** A cookie called `text` appeared. */
  'cookie',
  /** Code of the tag threw `text`. */
  'error',
  /**
   * Something was done that a vendor is told of; `ok` when the vendor's own function was there to be called, absent where
   * nothing of the vendor runs on the page.
   */
  'conversion',
  /** Nothing more is on its way. `ok` false when a page view would have been seen and was not. */
  'settled',
  'left',
] as const

/** So many things that the page tells of are told to the vendor by the server. */
export const TEST_MAX_COPIES = 8

/** One event that the server told the vendor in the vendor's test mode. */
export interface TestCopy {
  event: ServerEventName
  /** In Portuguese: what the answer means, or why nothing was sent. */
  message: string
  /** What was sent and answered; null when nothing was sent. */
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
  /** The answer's status, where the browser tells it. */
  status?: number
  conversion?: Conversion
  /** Of a conversion: the `event_id` that the browser's copy of it carries. */
  id?: string
  text?: string
  copy?: TestCopy
}

/** Answer of `POST /api/tag-tests` to a page that shows a token. */
export interface StartedTest {
  /** Opens the reports of this test for ten minutes, and nothing else. */
  key: string
  name: string
  tag: ManifestTag
  /** False where the server alone tells the vendor: the page has nothing to run or to see. */
  runs: boolean
  /** Made before the tag runs: they switch on the vendors' test modes. */
  testCalls: ConversionCall[]
  /** In Portuguese: whether the platform may count this visit. */
  notice: string
}

/** `waiting` for the site to be opened, `open` on the site, `done`, `left` before the end, `expired` unopened. */
export type TestState = 'waiting' | 'open' | 'done' | 'left' | 'expired'

/** What a test showed, in words, and what to do next. */
export interface TestVerdict {
  /** As the health of a pixel is told. */
  health: 'working' | 'partial' | 'broken' | 'waiting'
  confirmed: boolean
  title: string
  text: string
  action?: HealthAction
}

/** One of the last tests, as every administrator may know of it. */
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
  /** True while the server waits for an answer of the vendor. */
  awaits_copies: boolean
  steps: TestStep[]
}

/**
 * Body of `POST /admin/api/pixels/ID/tests`. Without a code that of the caller's last test of this pixel is used again;
 * with an empty one nothing is copied to Meta.
 */
export interface NewTest {
  test_event_code?: string
}

/** Its answer: the one time that the address is told. */
export interface CreatedTest {
  id: string
  url: string
  expires_at: string
}

// Apart from `tag-test.ts`: the page's first script needs the first of these, and nothing else of a test.

/** How the address of a test begins after its path. The token behind it opens one test, once. */
export const TEST_FRAGMENT = '#teste='

/** Trades the token for what the page needs to run the test. */
export const TEST_START_PATH = '/api/tag-tests'

export const TEST_STEPS_PATH = '/api/tag-tests/steps'
