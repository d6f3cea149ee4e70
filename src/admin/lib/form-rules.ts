import * as z from 'zod/mini'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract/accounts.ts'
import { mayBeKnownEmail } from '#contract/known-email.ts'

export const INVALID_EMAIL = 'Digite um e-mail válido.'
export const WRONG_LENGTH = `Use de ${PASSWORD_MIN_LENGTH} a ${PASSWORD_MAX_LENGTH} caracteres.`

/** Of somebody who has an account already, perhaps from before today's rules. */
export const knownEmailSchema = z.string().check(z.refine(mayBeKnownEmail, INVALID_EMAIL))

export const newPasswordSchema = z.string().check(z.refine(hasRightLength, WRONG_LENGTH))

export function hasRightLength(password: string): boolean {
  return password.length >= PASSWORD_MIN_LENGTH && password.length <= PASSWORD_MAX_LENGTH
}
