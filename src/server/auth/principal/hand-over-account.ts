import type { LockedAccount } from '../users/change-account.ts'

/**
 * The account stays; password, factors, codes and sessions of its holder end, and the address counts as confirmed.
 * Without a password, the way in is a mail.
 */
export async function handOverAccount(account: LockedAccount, passwordHash: string | null): Promise<void> {
  const now = new Date().toISOString()
  await account.update({
    password_hash: passwordHash,
    user_metadata: '{}',
    new_email: null,
    banned_until: null,
    deleted_at: null,
    email_confirmed_at: now,
    mailbox_proved_at: now,
    // Its new holder has not been here yet.
    last_sign_in_at: null,
    updated_at: now,
  })
  await account.revoke('handed_over')
}
