import type { EmailOtpType, Session } from '@supabase/auth-js'
import type { Auth } from '#admin/lib/clients.ts'
import { unwrapAuth } from '#admin/lib/unwrap-auth.ts'

/** What proves that a mail was read: its link, or its six digits. */
export type MailProof = { tokenHash: string; type: EmailOtpType } | { email: string; code: string }

/** Null after the first half of a change of address, which opens no session. */
export async function redeemMail(auth: Auth, proof: MailProof): Promise<Session | null> {
  const answer =
    'tokenHash' in proof
      ? auth.verifyOtp({ token_hash: proof.tokenHash, type: proof.type })
      : auth.verifyOtp({ email: proof.email.trim(), token: proof.code.trim(), type: 'recovery' })
  return (await unwrapAuth(answer)).session
}
