import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeFailure } from '#contract/error-messages.ts'
import { sourceFiles } from '#tests/support/source-files.ts'

interface Refusal {
  file: string
  status: number
  code: string
  /** The literal message; empty if it is composed elsewhere. */
  message: string
}

const CALL =
  /\b(?:authError|protocolError|AppError)\(\s*(\d+|[\w.]+),\s*(?:'([^']+)'|[A-Z_]+)\s*,\s*(?:(`[^`]*`)|'((?:[^'\\]|\\.)*)'|"([^"]*)")?/gs

/** Read by programs only: posts of visitors' browsers, requests of other servers, and refusals of foreign pages. */
const FOR_PROGRAMS = [
  'src/server/tags/hosts/violations.ts',
  'src/server/tags/tag-report.ts',
  'src/server/consent/choice.ts',
  'src/server/tags/tags.ts',
  'src/server/tags/test-visits/page-routes.ts',
  'src/server/tags/test-visits/page-routes.ts',
  'src/server/tags/test-visits/page-routes.ts',
  'src/server/conversions/post-event.ts',
  'src/server/visits/visits.ts',
  'src/server/outcomes/post-outcomes.ts',
  'src/server/outcomes/visit-codes.ts',
  'src/server/consent/public-routes.ts',
  'src/server/operations/metrics.ts',
  'src/server/http/limits/public.ts',
  'src/server/http/sockets/raw-server.ts',
  'src/server/http/security/administrators.ts',
  'src/server/http/security/classes.ts',
  'src/server/auth/protocol.ts',
]

/** Their message comes from a Portuguese constant or table. */
const SAID_ELSEWHERE = [
  'principal_admin_protected',
  'pixel_delivery_refused',
  'outcome_event_refused',
  'test_code_required',
  'bad_range',
  'not_found',
  'bad_request',
  'invalid_url',
]

const PORTUGUESE = /[ãáàâéêíóôõúç]|\b(?:de|do|da|o|os|um|uma|para|este|esta|ao|em|por|salve|entre)\b/i

function refusals(): Refusal[] {
  return sourceFiles('src/server')
    .filter((file) => !FOR_PROGRAMS.includes(file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(CALL)].flatMap(([, status = '', code, ...messages]) =>
        code === undefined
          ? []
          : [{ file, status: Number(status) || 400, code, message: messages.find((text) => text) ?? '' }],
      ),
    )
}

test('every refusal that the dashboard can get is in Portuguese', () => {
  const all = refusals()
  expect(all.length).toBeGreaterThan(100)
  const english = all.filter(({ status, code, message }) => {
    const isMapped =
      describeFailure({ status, code, message: '(as it came)' }, '(fallback)') !== '(as it came)'
    return !isMapped && !(message === '' ? SAID_ELSEWHERE.includes(code) : PORTUGUESE.test(message))
  })
  expect(english.map(({ file, code, message }) => `${code} of ${file}: ${message}`)).toEqual([])
})
