import * as z from 'zod/mini'
import { CONSENT_ACTIONS, OPTIONAL_CATEGORIES } from './consent-choice.ts'

/** Body of `POST /api/consent`: the proof of a choice (LGPD art. 8 §2), without data about the person. */
export const consentRecordSchema = z.object({
  /** Chosen by the page, so that a repeated post is the same record. */
  record_id: z.optional(z.uuid()),
  id: z.uuid(),
  action: z.enum(CONSENT_ACTIONS),
  categories: z.array(z.enum(OPTIONAL_CATEGORIES)).check(z.maxLength(OPTIONAL_CATEGORIES.length)),
  text_version: z.int().check(z.minimum(1), z.maximum(1_000_000)),
  tag_set_version: z.string().check(z.regex(/^[A-Za-z0-9_-]{0,64}$/)),
})
export type ConsentRecord = z.infer<typeof consentRecordSchema>
