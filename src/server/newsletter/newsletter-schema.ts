import * as z from 'zod/mini'
import { isEmail, normalizeEmail } from '#contract/email.ts'
import { NEWSLETTER_HONEYPOT } from '#contract/newsletter.ts'

const emailSchema = z.pipe(z.string().check(z.refine(isEmail, 'invalid email')), z.transform(normalizeEmail))

export const newsletterSchema = z.object({
  email: emailSchema,
  [NEWSLETTER_HONEYPOT]: z.optional(z.string()),
})
