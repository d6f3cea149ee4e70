/** In the browser's storage: names of the cookies that were there before any tag ran. */
export const BEFORE_TAGS = 'portico_before_tags'

/** With the first agreement: other sites of a parent domain have cookies here too, and they are not the tags'. */
export function noteCookiesBeforeTags(): void {
  try {
    localStorage[BEFORE_TAGS] = cookieNames().join(';')
  } catch {
    // A browser without storage, or with a full one: then only what is known by name will be deleted.
  }
}

export function cookieNames(): string[] {
  return document.cookie.split('; ').map((cookie) => cookie.split('=', 1)[0] ?? '')
}
