import {
  NEWSLETTER_HONEYPOT,
  NEWSLETTER_MESSAGES,
  NEWSLETTER_PATH,
  type NewsletterAnswer,
} from '#contract/newsletter.ts'
import { announceConversion } from '../shared/announce-conversion.ts'

/** Sends one subscription and says what to show for it, whatever happens. */
export async function sendSubscription(email: string, honeypot: string): Promise<string> {
  let response: Response
  try {
    response = await fetch(NEWSLETTER_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ email, ...(honeypot === '' ? {} : { [NEWSLETTER_HONEYPOT]: honeypot }) }),
    })
  } catch {
    return NEWSLETTER_MESSAGES.unreachable
  }
  if (response.ok) {
    announceConversion('sign_up')
    return NEWSLETTER_MESSAGES.success
  }
  return response.status === 422 ? await readMessage(response) : NEWSLETTER_MESSAGES.rejected
}

async function readMessage(response: Response): Promise<string> {
  try {
    const { message } = (await response.json()) as Partial<NewsletterAnswer>
    return message ?? NEWSLETTER_MESSAGES.rejected
  } catch {
    return NEWSLETTER_MESSAGES.rejected
  }
}
