import type { LockedAccount } from './change-account.ts'

/**
 * Who used what was mailed to an address can read it. Until then a stranger may have stood for it: their password, factors
 * and sessions do not become the owner's by the owner's proof.
 */
export async function confirmEmail(account: LockedAccount): Promise<void> {
  const { user } = account
  if (user.email_confirmed_at !== null && user.mailbox_proved_at !== null) return
  const now = new Date().toISOString()
  const isFirstProof = user.mailbox_proved_at === null
  if (isFirstProof) await account.revoke('handed_over')
  await account.update({
    email_confirmed_at: user.email_confirmed_at ?? now,
    mailbox_proved_at: user.mailbox_proved_at ?? now,
    updated_at: now,
    ...(isFirstProof ? { password_hash: null } : {}),
  })
}
