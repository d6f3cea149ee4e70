import { complianceProgram } from './compliance.ts'
import { cookiePolicy } from './cookies.ts'
import type { LegalDocument, LegalParties } from './legal-document.ts'
import type { LegalSlug } from './legal-titles.ts'
import { privacyPolicy } from './privacy.ts'
import { termsOfUse } from './terms.ts'

/** The one source of the four texts: pages and dialog both read it. */
export const LEGAL_DOCUMENTS: Record<LegalSlug, (parties: LegalParties) => LegalDocument> = {
  privacidade: privacyPolicy,
  termos: termsOfUse,
  cookies: cookiePolicy,
  compliance: complianceProgram,
}
