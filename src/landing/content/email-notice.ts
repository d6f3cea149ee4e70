/**
 * What banner and preferences say beyond `CONSENT_TEXTS` while a pixel sends the address of a subscription: with it the
 * text is `EMAIL_TEXT_VERSION`. In a file of its own, which no script of a visitor imports.
 */
export const EMAIL_NOTICE =
  'Se você aceitar Marketing e se inscrever na newsletter, seu e-mail também vai para a Meta em forma de código (hash).'
