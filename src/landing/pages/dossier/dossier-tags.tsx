import type { Dossier, DossierTag } from '#contract/inventory.ts'
import { formatMoment } from './dossier-format.ts'

const CATEGORIES: Record<DossierTag['category'], string> = {
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}
const COUNTRIES = new Intl.DisplayNames('pt-BR', { type: 'region' })

/** What was on the page in the period, and when. */
export function DossierTags({ tags, headers, tags_known_since, from }: Dossier) {
  const isLate = tags_known_since !== null && tags_known_since.slice(0, 10) > from
  return (
    <section>
      <h2>3. Tags no site durante o período</h2>
      <p>
        Cada linha mostra uma tag e o período em que ela esteve no site sem mudar. Os domínios são os que a
        segurança do site permitia: mostram para onde ela podia enviar dados, não para onde enviou. A tag só
        rodava para quem aceitou a categoria.
      </p>
      {tags_known_since === null || isLate ? (
        <p>
          {tags_known_since === null
            ? 'Não há registro do que estava no site.'
            : `O registro do que estava no site começa em ${formatMoment(tags_known_since)}. Não há dados anteriores.`}
        </p>
      ) : null}
      {tags.length === 0 ? (
        <p>Nenhuma tag esteve no site neste período.</p>
      ) : (
        <table className="tags">
          <thead>
            <tr>
              <th scope="col">Tag</th>
              <th scope="col">Quem recebe e para quê</th>
              <th scope="col">No site</th>
              <th scope="col">Domínios e arquivos</th>
            </tr>
          </thead>
          <tbody>
            {tags.map((tag) => (
              <TagRow key={tag.pixel_id + tag.started_at} tag={tag} />
            ))}
          </tbody>
        </table>
      )}
      <h3>Cabeçalhos de segurança da página</h3>
      <p>
        Impressão digital (SHA-256) dos cabeçalhos enviados com a página, incluindo a política de segurança.
      </p>
      {headers.length === 0 ? (
        <p>Sem registros.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Desde</th>
              <th scope="col">SHA-256</th>
              <th scope="col">Motivo da mudança</th>
            </tr>
          </thead>
          <tbody>
            {headers.map(({ hash, since, unasked }) => (
              <tr key={since + hash}>
                <td>{formatMoment(since)}</td>
                <td>
                  <code>{hash}</code>
                </td>
                <td>{unasked ? 'atualização ou configuração do site' : 'mudança de tags'}</td>
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
        {tag.name ?? 'Tag excluída'}
        <small>{CATEGORIES[tag.category]}</small>
        {tag.account === null ? null : <small>{tag.account}</small>}
        {tag.reason === null ? null : <small>{`Motivo: ${tag.reason}`}</small>}
      </th>
      <td>
        {tag.vendors.length === 0 ? 'Código próprio, fora do catálogo.' : null}
        {tag.vendors.map((vendor) => (
          <div key={vendor.id}>
            {`${vendor.name}, de ${vendor.company}${vendor.country === '' ? '' : ` (${COUNTRIES.of(vendor.country) ?? vendor.country})`}`}
            <small>{vendor.purpose}</small>
          </div>
        ))}
        {tag.told_by.includes('server') ? (
          <small>
            {tag.told_by.includes('browser')
              ? 'Envio pela página e pelo nosso servidor.'
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
        {tag.hosts.length === 0 ? 'nenhum domínio' : tag.hosts.join(', ')}
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
