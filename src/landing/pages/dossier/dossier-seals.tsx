import type { EvidenceSeal } from '#contract/consent.ts'
import type { Dossier } from '#contract/inventory.ts'
import { formatMoment, formatNumber } from './dossier-format.ts'

/** The seals that bound the period. */
export function DossierSeals({ seals }: Pick<Dossier, 'seals'>) {
  const { before, days, last, consistency } = seals
  return (
    <section>
      <h2>4. Selos</h2>
      <p>
        A cada minuto com escolhas, um selo resume todas as que já houve em uma raiz (árvore de Merkle, RFC
        6962) e leva a impressão digital do selo anterior. Quem anotou um selo em qualquer dia pode mostrar
        depois que nada de antes dele foi mudado, tirado ou trocado de lugar.
      </p>
      {last === null ? (
        <p>Nenhum selo foi feito neste período.</p>
      ) : (
        <>
          {before === null ? null : (
            <>
              <h3>O último antes do período</h3>
              <SealList seals={[before]} />
            </>
          )}
          <h3>O último de cada dia do período</h3>
          <SealList seals={days} />
          {consistency.length === 0 ? null : (
            <p className="quiet">
              {`O JSON deste dossiê traz a prova de consistência (RFC 6962, ${consistency.length} valores) entre o último selo antes do período e o último dele.`}
            </p>
          )}
        </>
      )}
    </section>
  )
}

function SealList({ seals }: { seals: readonly EvidenceSeal[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col" className="n">
            Selo
          </th>
          <th scope="col">Feito em</th>
          <th scope="col" className="n">
            Escolhas até ali
          </th>
          <th scope="col">Raiz e impressão digital do selo</th>
        </tr>
      </thead>
      <tbody>
        {seals.map((seal) => (
          <tr key={seal.sequence}>
            <th scope="row" className="n">
              {formatNumber(seal.sequence)}
            </th>
            <td>{formatMoment(seal.sealed_at)}</td>
            <td className="n">{formatNumber(seal.tree_size)}</td>
            <td>
              <code>{seal.root}</code>
              <br />
              <code>{seal.hash}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
