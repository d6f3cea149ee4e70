/** What form and server both know of a subscription, apart from the schema so that the page carries no validation library. */

export const NEWSLETTER_PATH = '/api/newsletter'
/** A field that people never see: who fills it in is a robot. */
export const NEWSLETTER_HONEYPOT = 'site'

/** A box is green exactly when its text contains the word "sucesso". */
export const NEWSLETTER_MESSAGES = {
  success: 'Inscrição realizada com sucesso!',
  invalid: 'Por favor, insira um e-mail válido.',
  rejected: 'Ocorreu um erro. Tente novamente mais tarde.',
  unreachable: 'Erro ao tentar enviar. Tente novamente mais tarde.',
} as const

export function isSuccessMessage(text: string): boolean {
  return text.includes('sucesso')
}

/** Answer of `POST /api/newsletter`, whatever its status: the text to show. */
export interface NewsletterAnswer {
  message: string
}
