import type { Checkpoint } from '#contract/consent.ts'
import type { Dossier, DossierFigures } from '#contract/inventory.ts'
import { formatDay, formatMoment, formatNumber, formatShare } from './dossier-format.ts'

const PARTS = [
  ['accepted', 'Aceitaram tudo'],
  ['partial', 'Em parte'],
  ['refused', 'Recusaram'],
] as const

const wholeOf = ({ accepted, partial, refused }: DossierFigures) => accepted + partial + refused

/** What people chose, by day and by the wording that they were asked with. */
export function DossierNumbers({ figures }: Pick<Dossier, 'figures'>) {
  const whole = wholeOf(figures.total)
  const days = figures.days.filter((day) => wholeOf(day) > 0)
  return (
    <section>
      <h2>1. O que as pessoas escolheram</h2>
      <p>
        Contam-se escolhas, não pessoas: quem muda de ideia é contado outra vez. Dias são os de Brasília. Uma
        escolha entra na conta quando é selada, em cerca de um minuto.
      </p>
      <ul className="sums">
        <li>
          <b>{formatNumber(whole)}</b>escolhas
        </li>
        {PARTS.map(([key, label]) => (
          <li key={key}>
            <b>{formatNumber(figures.total[key])}</b>
            {label.toLowerCase()} {formatShare(figures.total[key], whole)}
          </li>
        ))}
      </ul>
      {days.length === 0 ? (
        <p>Nenhuma escolha foi registrada neste período.</p>
      ) : (
        <>
          <h3>Por dia</h3>
          <FigureTable
            first="Dia"
            rows={days.map((day) => ({ ...day, label: formatDay(day.day) }))}
            total={figures.total}
          />
          {days.length === figures.days.length ? null : (
            <p className="quiet">Dias sem escolhas não aparecem na tabela.</p>
          )}
          <h3>Por versão do aviso</h3>
          <FigureTable
            first="Versão"
            rows={figures.notices.map((row) => ({ ...row, label: `Versão ${row.version}` }))}
            total={figures.total}
          />
        </>
      )}
    </section>
  )
}

interface FigureTableProps {
  first: string
  rows: readonly (DossierFigures & { label: string })[]
  total: DossierFigures
}

function FigureTable({ first, rows, total }: FigureTableProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {PARTS.map(([key, label]) => (
            <th key={key} scope="col" className="n">
              {label}
            </th>
          ))}
          <th scope="col" className="n">
            Escolhas
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Figures key={row.label} label={row.label} figures={row} />
        ))}
      </tbody>
      <tfoot>
        <Figures label="Total" figures={total} />
      </tfoot>
    </table>
  )
}

function Figures({ label, figures }: { label: string; figures: DossierFigures }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      {PARTS.map(([key]) => (
        <td key={key} className="n">
          {formatNumber(figures[key])}
        </td>
      ))}
      <td className="n">{formatNumber(wholeOf(figures))}</td>
    </tr>
  )
}

/** The words that were asked with, as they were first served. */
export function DossierNotices({ notices }: Pick<Dossier, 'notices'>) {
  return (
    <section>
      <h2>2. Com que palavras se perguntou</h2>
      <p>
        Cada texto do aviso e das preferências é guardado como foi servido pela primeira vez, com a hora e a
        impressão digital (SHA-256). O JSON deste dossiê traz também o HTML de cada um.
      </p>
      {notices.length === 0 ? <p>Nenhum texto estava guardado até o fim do período.</p> : null}
      {notices.map((notice) => (
        <section key={notice.hash}>
          <h3>{`Versão ${notice.version}, no ar desde ${formatMoment(notice.first_served_at)}`}</h3>
          <p>
            <code>{notice.hash}</code>
          </p>
          <pre>{notice.text}</pre>
        </section>
      ))}
    </section>
  )
}

/** The seals that bound the period. */
export function DossierCheckpoints({ seals }: Pick<Dossier, 'seals'>) {
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
              <CheckpointList seals={[before]} />
            </>
          )}
          <h3>O último de cada dia do período</h3>
          <CheckpointList seals={days} />
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

function CheckpointList({ seals }: { seals: readonly Checkpoint[] }) {
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
