/**
 * What banner and preferences say beyond `CONSENT_TEXTS` while a pixel sends the address of a subscription: with it the
 * text is `EMAIL_TEXT_VERSION`. In a file of its own, which no script of a visitor imports.
 */
export const EMAIL_NOTICE =
  'Com Marketing aceito, o e-mail que você inscrever na newsletter também vai à Meta, como um código (hash).'
