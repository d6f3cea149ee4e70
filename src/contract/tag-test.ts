import type { Conversion } from './conversion.ts'
import type { HealthAction } from './tag-health.ts'
import type { ConversionCall, ManifestTag } from './tag-manifest.ts'
import type { TagVerdict } from './tag-report.ts'

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
  /** Something was done that a vendor is told of; `ok` when the vendor's own function was there to be called. */
  'conversion',
  /** Nothing more is on its way. `ok` false when a page view would have been seen and was not. */
  'settled',
  'left',
] as const

export interface TestStep {
  kind: (typeof TEST_STEP_KINDS)[number]
  /** Milliseconds since the page was opened. */
  at: number
  ok?: boolean
  host?: string
  verdict?: TagVerdict
  /** The answer's status, where the browser tells it. */
  status?: number
  conversion?: Conversion
  text?: string
}

/** Answer of `POST /api/tag-tests` to a page that shows a token. */
export interface StartedTest {
  /** Opens the reports of this test for ten minutes, and nothing else. */
  key: string
  name: string
  tag: ManifestTag
  /** Made before the tag runs: how its vendors are told that this is a test. */
  testCalls: ConversionCall[]
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
  steps: TestStep[]
}

/** Answer of `POST /admin/api/pixels/ID/tests`: the one time that the address is told. */
export interface CreatedTest {
  id: string
  url: string
  expires_at: string
}
