import type { SiteInfo } from '#contract/site.ts'

/** Legal name, CNPJ (Decreto 7.962/2013) and the encarregado (LGPD art. 41 §1), as far as they are configured. */
export function CompanyLine({ site }: { site: SiteInfo }) {
  const company = [site.legalName, site.cnpj === null ? null : `CNPJ ${site.cnpj}`].filter(
    (part) => part !== null,
  )
  if (company.length === 0 && site.dpoEmail === null) return null
  return (
    <p className="company">
      {company.length > 0 && <span>{company.join(', ')}</span>}
      {site.dpoEmail !== null && (
        <span>
          Encarregado de dados: <a href={`mailto:${site.dpoEmail}`}>{site.dpoEmail}</a>
        </span>
      )}
    </p>
  )
}
