import * as z from 'zod/mini'
import { AppError } from '#server/http/app-error.ts'

const MAX_TEXT = 8_192
const short = z.string().check(z.maxLength(MAX_TEXT))

/** What `navigator.credentials` gives, as the clients send it; the library judges the rest. */
export const credential = z.looseObject({
  id: short,
  rawId: short,
  type: z.literal('public-key'),
  clientExtensionResults: z._default(z.record(z.string(), z.unknown()), {}),
  response: z.looseObject({
    clientDataJSON: short,
    attestationObject: z.optional(z.string().check(z.maxLength(65_536))),
    authenticatorData: z.optional(short),
    signature: z.optional(short),
    userHandle: z.nullish(short),
    transports: z.nullish(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16))),
  }),
})

export type Credential = z.output<typeof credential>

const clientData = z.looseObject({ challenge: z.string(), origin: z.string() })

/** What the browser says that it was asked, and where. */
export function readClientData({ response }: Credential): { challenge: string; origin: string } {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')
    const { challenge, origin } = z.parse(clientData, JSON.parse(text))
    return { challenge: Buffer.from(challenge, 'base64url').toString('utf8'), origin }
  } catch {
    throw verificationFailed()
  }
}

export function verificationFailed(cause?: unknown): Error {
  return new AppError(400, 'webauthn_verification_failed', 'Credential verification failed', { cause })
}
