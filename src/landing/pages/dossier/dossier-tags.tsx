import type { Dossier, DossierTag } from '#contract/inventory.ts'
import { formatMoment } from './dossier-format.ts'

const CATEGORIES: Record<DossierTag['category'], string> = {
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}
const COUNTRIES = new Intl.DisplayNames('pt-BR', { type: 'region' })

/** What was on the page in the period, from when to when. */
export function DossierTags({ tags, headers, tags_known_since, from }: Dossier) {
  const isLate = tags_known_since !== null && tags_known_since.slice(0, 10) > from
  return (
    <section>
      <h2>3. Que tags estavam no site, e quando</h2>
      <p>
        Cada linha é uma tag como ela era, do momento em que passou a ser servida ao momento em que deixou de
        ser ou mudou. Os endereços são os que a política da página abria para ela: dizem com quem podia falar,
        não com quem falou. Só rodava para quem aceitou a categoria.
      </p>
      {tags_known_since === null || isLate ? (
        <p>
          {tags_known_since === null
            ? 'Nada foi anotado sobre o que estava no site.'
            : `O que estava no site é anotado desde ${formatMoment(tags_known_since)}; de antes, nada se afirma aqui.`}
        </p>
      ) : null}
      {tags.length === 0 ? (
        <p>Nenhuma tag foi servida neste período.</p>
      ) : (
        <table className="tags">
          <thead>
            <tr>
              <th scope="col">Tag</th>
              <th scope="col">Quem recebe, e para quê</th>
              <th scope="col">No site</th>
              <th scope="col">Endereços e arquivos</th>
            </tr>
          </thead>
          <tbody>
            {tags.map((tag) => (
              <TagRow key={tag.pixel_id + tag.started_at} tag={tag} />
            ))}
          </tbody>
        </table>
      )}
      <h3>Cabeçalhos da página</h3>
      <p>
        Impressão digital (SHA-256) dos cabeçalhos com que a página foi servida, a política de segurança entre
        eles.
      </p>
      {headers.length === 0 ? (
        <p>Nada foi anotado.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Desde</th>
              <th scope="col">SHA-256</th>
              <th scope="col">Mudou com</th>
            </tr>
          </thead>
          <tbody>
            {headers.map(({ hash, since, unasked }) => (
              <tr key={since + hash}>
                <td>{formatMoment(since)}</td>
                <td>
                  <code>{hash}</code>
                </td>
                <td>{unasked ? 'outra versão ou configuração do site' : 'uma mudança de tags'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function TagRow({ tag }: { tag: DossierTag }) {
  return (
    <tr>
      <th scope="row">
        {tag.name ?? 'Tag cujo cadastro não existe mais'}
        <small>{CATEGORIES[tag.category]}</small>
        {tag.account === null ? null : <small>{tag.account}</small>}
        {tag.reason === null ? null : <small>{`Motivo anotado: ${tag.reason}`}</small>}
      </th>
      <td>
        {tag.vendors.length === 0 ? 'Código próprio, que o catálogo não reconhece.' : null}
        {tag.vendors.map((vendor) => (
          <div key={vendor.id}>
            {`${vendor.name}, de ${vendor.company}${vendor.country === '' ? '' : ` (${COUNTRIES.of(vendor.country) ?? vendor.country})`}`}
            <small>{vendor.purpose}</small>
          </div>
        ))}
        {tag.told_by.includes('server') ? (
          <small>
            {tag.told_by.includes('browser')
              ? 'Envio pelo navegador e pelo nosso servidor.'
              : 'Envio só pelo nosso servidor.'}
          </small>
        ) : null}
      </td>
      <td>
        {`de ${formatMoment(tag.started_at)}`}
        <br />
        {tag.ended_at === null ? 'até agora' : `até ${formatMoment(tag.ended_at)}`}
      </td>
      <td>
        {tag.hosts.length === 0 ? 'nenhum endereço na página' : tag.hosts.join(', ')}
        {tag.files.map((file) =>
          file.kind === 'own' ? (
            <small key={file.path}>
              {file.path} <code>{file.sha256}</code>
            </small>
          ) : (
            <small key={file.url}>{file.url}</small>
          ),
        )}
      </td>
    </tr>
  )
}
