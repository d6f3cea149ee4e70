import * as z from 'zod/mini'
import { CONVERSIONS } from '#contract/conversions.ts'
import { parsePublicHost } from '#contract/public-host.ts'
import { TAG_VERDICTS } from '#contract/tag-report.ts'
import {
  TEST_LIFE_MS,
  TEST_MAX_STEPS_AT_ONCE,
  TEST_STEP_KINDS,
  TEST_TEXT_MAX_LENGTH,
  type TestStep,
} from '#contract/tag-test.ts'

const stepSchema = z.object({
  kind: z.enum(TEST_STEP_KINDS),
  at: z.number().check(z.minimum(0), z.maximum(TEST_LIFE_MS * 2)),
  ok: z.optional(z.boolean()),
  host: z.optional(z.string().check(z.maxLength(253))),
  verdict: z.optional(z.enum(TAG_VERDICTS)),
  status: z.optional(z.int().check(z.minimum(100), z.maximum(599))),
  conversion: z.optional(z.enum(CONVERSIONS)),
  id: z.optional(z.uuid()),
  text: z.optional(z.string().check(z.maxLength(2_000))),
})

/** Body of a report of the page under test. */
export const testStepsSchema = z.object({
  key: z.string().check(z.maxLength(100)),
  steps: z.array(stepSchema).check(z.maxLength(TEST_MAX_STEPS_AT_ONCE)),
})

/** As it is kept: a host is a public name or nothing, a text is short and one line. */
export function cleanStep({ host, text, at, ...step }: z.output<typeof stepSchema>): TestStep {
  const name = host === undefined ? null : parsePublicHost(host)
  const line = text
    ?.replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, TEST_TEXT_MAX_LENGTH)
  return {
    ...withoutUndefined(step),
    at: Math.round(at),
    ...(name === null ? {} : { host: name }),
    ...(line ? { text: line } : {}),
  } as TestStep
}

function withoutUndefined(step: object): object {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined))
}
