/** One file for all that React does on the page: small parts compress better together, and one prefetch brings them all. */
export { openPreferences } from '../consent/open-preferences.tsx'
export { hydrateNewsletter } from './hydrate-newsletter.tsx'
export { openLegal } from './open-legal.tsx'
