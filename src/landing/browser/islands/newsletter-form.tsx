import { type FormEvent, useEffect, useRef, useState } from 'react'
import { isEmail } from '#contract/email.ts'
import {
  isSuccessMessage,
  NEWSLETTER_HONEYPOT,
  NEWSLETTER_MESSAGES,
  NEWSLETTER_PATH,
  type NewsletterAnswer,
} from '#contract/newsletter.ts'
import { FOOTER } from '#landing/content/page.ts'
import { announceConversion } from '../shared/page.ts'

interface NewsletterFormProps {
  /** The server's response to a plain form post. */
  initialMessage: string | null
  onReady?: () => void
}

export function NewsletterForm({ initialMessage, onReady }: NewsletterFormProps) {
  const [message, setMessage] = useState(initialMessage ?? '')
  const [sending, setSending] = useState(false)
  // Set at once, unlike a state, which changes with the next render.
  const busy = useRef(false)
  const field = useRef<HTMLInputElement>(null)
  const status = useRef<HTMLParagraphElement>(null)
  useEffect(() => onReady?.(), [onReady])
  useEffect(() => {
    // On a phone the message may be below the screen.
    if (message !== '') status.current?.scrollIntoView({ block: 'nearest' })
  }, [message])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy.current) return
    const data = new FormData(event.currentTarget)
    const email = String(data.get('email')).trim()
    if (!isEmail(email)) {
      setMessage(NEWSLETTER_MESSAGES.invalid)
      field.current?.focus()
      return
    }
    setMessage('')
    busy.current = true
    setSending(true)
    const answer = await sendSubscription(email, String(data.get(NEWSLETTER_HONEYPOT)))
    busy.current = false
    setSending(false)
    setMessage(answer)
    if (isSuccessMessage(answer) && field.current !== null) field.current.value = ''
  }

  const success = isSuccessMessage(message)
  return (
    <form action={`${NEWSLETTER_PATH}#newsletter`} method="post" noValidate onSubmit={submit}>
      <input
        ref={field}
        type="email"
        name="email"
        autoComplete="email"
        aria-label={FOOTER.newsletter.label}
        aria-describedby="answer"
        aria-invalid={message === NEWSLETTER_MESSAGES.invalid || undefined}
        placeholder={FOOTER.newsletter.placeholder}
        required
      />
      <input
        className="trap"
        name={NEWSLETTER_HONEYPOT}
        tabIndex={-1}
        autoComplete="off"
        aria-hidden="true"
        aria-label="Deixe em branco"
      />
      <button type="submit" className="btn go" disabled={sending}>
        {sending ? FOOTER.newsletter.sending : FOOTER.newsletter.submit}
      </button>
      <p ref={status} role="status" id="answer" className={success ? 'ok' : 'bad'}>
        {message}
      </p>
    </form>
  )
}

/** A server that is silent for longer counts as unreachable: sending the same address again is harmless. */
const TIMEOUT_MS = 10_000

/** Sends one subscription and returns the message to show. */
async function sendSubscription(email: string, honeypot: string): Promise<string> {
  let response: Response
  try {
    response = await fetch(NEWSLETTER_PATH, {
      method: 'POST',
      // Not in every browser.
      signal: AbortSignal.timeout?.(TIMEOUT_MS),
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
