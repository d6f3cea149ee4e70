import { hydrateRoot } from 'react-dom/client'
import { NewsletterForm } from './newsletter-form.tsx'

/** Resolves once the form answers, with whatever was typed before still in it. */
export function hydrateNewsletter(container: Element): Promise<void> {
  const message = container.querySelector('[role=status]')?.textContent ?? ''
  return new Promise((resolve) => {
    hydrateRoot(container, <NewsletterForm initialMessage={message} onReady={resolve} />)
  })
}
