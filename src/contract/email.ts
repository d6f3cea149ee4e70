import * as z from 'zod/mini'
import { isEmail, normalizeEmail } from './email-pattern.ts'

export const emailSchema = z.pipe(
  z.string().check(z.refine(isEmail, 'invalid email')),
  z.transform(normalizeEmail),
)
