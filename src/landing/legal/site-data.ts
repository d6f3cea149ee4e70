import type { LegalParties } from './legal-document.ts'

/** Inert JSON in the page: what the dialog's texts need to know of the installation. */
export const SITE_DATA_ELEMENT_ID = 'site'

export function pickLegalParties(site: LegalParties): LegalParties {
  const { brandName, contactEmail, legalName, cnpj, dpoEmail } = site
  return { brandName, contactEmail, legalName, cnpj, dpoEmail }
}
