import * as z from 'zod/mini'
import { CAMPAIGN_PARAMETERS, CLICK_IDS } from './campaign.ts'
import { VISIT_CODE } from './visit-code.ts'
import { CLICKS } from './visit-report.ts'

const text = z.string().check(z.maxLength(2_000))

/** How a visitor came to the page. No click ID itself is sent, only which one the address had. */
const arrival = {
  campaign: z.optional(z.partialRecord(z.enum(CAMPAIGN_PARAMETERS), text)),
  /** Host of the page before this one. */
  referrer: z.optional(text),
  click_id: z.optional(z.enum(CLICK_IDS)),
}

/** Body of `POST /api/clicks`, answered with 204. */
export const clickSchema = z.strictObject({ name: z.enum(CLICKS), ...arrival })

/** Body of `POST /api/views`, answered with 204: a page that was shown without a request. */
export const viewSchema = z.strictObject(arrival)
export type Arrival = z.infer<typeof viewSchema>

/** Body of `POST /api/visits`, answered with 204. The visitor's choice is read from the cookie. */
export const visitSchema = z.strictObject({
  code: z.string().check(z.regex(VISIT_CODE)),
  /** Query of the first page, reduced to campaign parameters and click IDs. */
  query: z.optional(z.string().check(z.maxLength(6_000))),
  referrer: z.optional(text),
})
