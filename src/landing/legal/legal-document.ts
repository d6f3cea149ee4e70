import type { SiteInfo } from '#contract/site.ts'

/** What the texts say of the company. */
export type LegalParties = Pick<
  SiteInfo,
  | 'brandName'
  | 'contactEmail'
  | 'legalName'
  | 'cnpj'
  | 'dpoEmail'
  | 'retention'
  | 'logsRequests'
  | 'sendsEmail'
>

/** A paragraph, or the items of a list. */
export type LegalBlock = string | readonly string[]

export interface LegalDocument {
  intro: string
  sections: readonly { title: string; blocks: readonly LegalBlock[] }[]
}

export function companyName({ brandName, legalName, cnpj }: LegalParties): string {
  const registered = [legalName, cnpj === null ? null : `CNPJ ${cnpj}`].filter((part) => part !== null)
  return registered.length === 0 ? brandName : `${brandName} (${registered.join(', ')})`
}
