import * as z from 'zod/mini'
import { CONSENT_ACTIONS, OPTIONAL_CATEGORIES } from './consent-choice.ts'

/** Body of `POST /api/consent`: the proof of a choice (LGPD art. 8 §2), with nothing about the person. */
export const consentRecordSchema = z.object({
  id: z.uuid(),
  action: z.enum(CONSENT_ACTIONS),
  categories: z.array(z.enum(OPTIONAL_CATEGORIES)).check(z.maxLength(OPTIONAL_CATEGORIES.length)),
  text_version: z.int().check(z.minimum(1), z.maximum(1_000_000)),
  tag_set_version: z.string().check(z.regex(/^[A-Za-z0-9_-]{0,64}$/)),
})
export type ConsentRecord = z.infer<typeof consentRecordSchema>
