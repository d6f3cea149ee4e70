import { type ClientLogo, FEES_PATH, type Fee, type SiteContent } from '#contract/site-content.ts'
import { describeFee, describeSettlement } from '../content/fees.ts'
import { FACTS } from '../content/page.ts'

/** What the site's content file says of the company. Nothing is shown that it does not say. */
export function Facts({ content }: { content: SiteContent }) {
  return (
    <>
      {content.clients && <Clients clients={content.clients} />}
      {content.fees && <Fees fees={content.fees} />}
      <Company content={content} />
    </>
  )
}

function Clients({ clients }: { clients: readonly ClientLogo[] }) {
  return (
    <section className="sec wrap later" id="clientes">
      <h2>{FACTS.clients}</h2>
      <ul className="clients">
        {clients.map(({ name, url, path }) => {
          const logo = <img src={path} alt={name} width="160" height="40" loading="lazy" />
          return <li key={path}>{url ? <a href={url}>{logo}</a> : logo}</li>
        })}
      </ul>
    </section>
  )
}

function Fees({ fees }: { fees: readonly Fee[] }) {
  return (
    <section className="sec wrap later fees" id="taxas">
      <div>
        <h2>{FACTS.fees.title}</h2>
        <p className="lead">{FACTS.fees.text}</p>
        <a className="btn solid" href={FEES_PATH}>
          {FACTS.fees.simulate}
        </a>
      </div>
      <FeeTable fees={fees} />
    </section>
  )
}

export function FeeTable({ fees }: { fees: readonly Fee[] }) {
  return (
    <table className="fee">
      <thead>
        <tr>
          <th scope="col">Meio de pagamento</th>
          <th scope="col">Taxa por venda</th>
          <th scope="col">Recebimento</th>
        </tr>
      </thead>
      <tbody>
        {fees.map((fee) => (
          <tr key={fee.method}>
            <th scope="row">{fee.method}</th>
            <td>{describeFee(fee)}</td>
            <td>{describeSettlement(fee)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Company({ content }: { content: SiteContent }) {
  const { analysis, regulation, certificates, developers, plugins, addresses } = content
  const technical = [
    ['Documentação da API', developers?.docs_url],
    ['Ambiente de testes', developers?.sandbox_url],
    ['Status dos serviços', developers?.status_url],
    ...(plugins ?? []).map(({ name, url }) => [`Plugin para ${name}`, url] as const),
  ].filter((link): link is [string, string] => link[1] !== undefined)
  const trust = regulation !== undefined || certificates !== undefined || addresses !== undefined
  if (analysis === undefined && technical.length === 0 && !trust) return null
  return (
    <section className="sec wrap later" id="empresa">
      <h2>{FACTS.company.title}</h2>
      <div className="facts">
        {analysis && (
          <div>
            <h3>{FACTS.company.start}</h3>
            <p>
              Análise em até {analysis.business_days}{' '}
              {analysis.business_days === 1 ? 'dia útil' : 'dias úteis'}. Tenha em mãos:
            </p>
            <ul className="feat">
              {analysis.documents.map((document) => (
                <li key={document}>{document}</li>
              ))}
            </ul>
          </div>
        )}
        {technical.length > 0 && (
          <div>
            <h3>{FACTS.company.technical}</h3>
            <ul className="links">
              {technical.map(([label, url]) => (
                <li key={label}>
                  <a href={url}>{label}</a>
                </li>
              ))}
            </ul>
          </div>
        )}
        {trust && (
          <div>
            <h3>{FACTS.company.trust}</h3>
            {regulation && (
              <p>{regulation.url ? <a href={regulation.url}>{regulation.text}</a> : regulation.text}</p>
            )}
            {certificates?.map(({ name, valid_until, url }) => (
              <p key={name}>
                {url ? <a href={url}>{name}</a> : name}, válido até {formatDate(valid_until)}
              </p>
            ))}
            {addresses?.map(({ name, address }) => (
              <p key={name}>
                <b>{name}</b>
                {address}
              </p>
            ))}
          </div>
        )}
      </div>
    </section>
  )
}

function formatDate(date: string): string {
  return date.split('-').reverse().join('/')
}
