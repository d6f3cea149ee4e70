import { OBJECTION_COOKIE, OBJECTION_DAYS } from '#contract/visit-paths.ts'
import { writeCookie } from './consent-cookie.ts'

/** Null on a site that counts no visits (`UNCOUNTED_ATTRIBUTE`): there is nothing to object to. */
export function objectsToCounting(): boolean | null {
  return document.documentElement.dataset.off === '' ? null : document.cookie.includes(OBJECTION_COOKIE)
}

/** The visitor's objection to being counted, or its withdrawal. */
export function setObjection(objects: boolean): void {
  writeCookie(`${OBJECTION_COOKIE}=1`, objects ? OBJECTION_DAYS * 86_400 : 0)
}
