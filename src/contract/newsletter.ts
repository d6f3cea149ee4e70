import * as z from 'zod/mini'
import { emailSchema } from './email.ts'
import { NEWSLETTER_HONEYPOT } from './newsletter-form.ts'

export const newsletterSchema = z.object({
  email: emailSchema,
  [NEWSLETTER_HONEYPOT]: z.optional(z.string()),
})
