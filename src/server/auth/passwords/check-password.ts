import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract/accounts.ts'
import { AppError } from '#server/http/app-error.ts'
import type { Seat } from './password-hasher.ts'
import { StrengthThread } from './strength-thread.ts'

/** Eight random characters have twice as many; a common word with a year or "@123" behind it has fewer. */
const MIN_GUESSES = 5e7
/** The estimate's time grows faster than the text; what is strong this far in gets no weaker behind. */
const JUDGED_LENGTH = 24

const thread = new StrengthThread()

/** Throws `weak_password` with the protocol's reasons, or `validation_failed` for one that is too long. */
export async function checkPassword(
  password: string,
  personal: readonly string[],
  seat?: Seat,
): Promise<void> {
  if (password.length > PASSWORD_MAX_LENGTH)
    throw new AppError(
      400,
      'validation_failed',
      `Password cannot be longer than ${PASSWORD_MAX_LENGTH} characters`,
    )
  if (password.length < PASSWORD_MIN_LENGTH)
    throw weakPassword(`Password should be at least ${PASSWORD_MIN_LENGTH} characters.`, 'length')
  const { guesses, hasWord } = await thread.estimate(
    password.slice(0, JUDGED_LENGTH),
    personal.flatMap(splitWords),
    seat,
  )
  if (guesses >= MIN_GUESSES) return
  throw weakPassword(
    'Password is known to be weak and easy to guess, please choose a different one.',
    hasWord ? 'pwned' : 'characters',
  )
}

function weakPassword(message: string, reason: 'length' | 'characters' | 'pwned'): AppError {
  return new AppError(422, 'weak_password', message, { details: { reasons: [reason] } })
}

function splitWords(text: string): string[] {
  return [text, ...text.split(/[^\p{L}\p{N}]+/u)].filter((word) => word.length >= 3)
}
