/** Codes of `SendingStop`, under which a pixel's health tells of it too. */
const STOP_CODES: ReadonlySet<string> = new Set([
  'token_refused',
  'account_blocked',
  'not_permitted',
  'token_missing',
  'endpoint_gone',
])

/** True for a reason that is mended where the form asks how the pixel is sent. */
export function isAboutSending(code: string): boolean {
  return STOP_CODES.has(code)
}
