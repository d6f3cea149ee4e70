import type { Checkpoint } from '#contract/consent.ts'
import { formatShares } from '#contract/format-count.ts'
import type { Dossier, DossierFigures } from '#contract/inventory.ts'
import { formatDay, formatMoment, formatNumber } from './dossier-format.ts'

const PARTS = [
  ['accepted', 'Aceitaram tudo'],
  ['partial', 'Aceitaram em parte'],
  ['refused', 'Recusaram'],
] as const

const wholeOf = ({ accepted, partial, refused }: DossierFigures) => accepted + partial + refused

/** Choices by day and wording. */
export function DossierNumbers({ figures }: Pick<Dossier, 'figures'>) {
  const whole = wholeOf(figures.total)
  const shares = formatShares(PARTS.map(([key]) => figures.total[key]))
  const days = figures.days.filter((day) => wholeOf(day) > 0)
  return (
    <section>
      <h2>1. Respostas ao aviso de cookies</h2>
      <p>
        Contamos respostas, não pessoas: quem muda a resposta é contado de novo. Os dias seguem o horário de
        Brasília. Cada resposta entra na conta quando recebe um selo, em cerca de um minuto.
      </p>
      <ul className="sums">
        <li>
          <b>{formatNumber(whole)}</b>respostas
        </li>
        {PARTS.map(([key, label], index) => (
          <li key={key}>
            <b>{formatNumber(figures.total[key])}</b>
            {label.toLowerCase()} {shares[index]}
          </li>
        ))}
      </ul>
      {days.length === 0 ? (
        <p>Nenhuma resposta registrada neste período.</p>
      ) : (
        <>
          <h3>Por dia</h3>
          <FigureTable
            first="Dia"
            rows={days.map((day) => ({ ...day, label: formatDay(day.day) }))}
            total={figures.total}
          />
          {days.length === figures.days.length ? null : (
            <p className="quiet">A tabela mostra só os dias com respostas.</p>
          )}
          <h3>Por versão do aviso de cookies</h3>
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
            Respostas
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

/** The wordings, as first served. */
export function DossierNotices({ notices }: Pick<Dossier, 'notices'>) {
  return (
    <section>
      <h2>2. Textos do aviso de cookies</h2>
      <p>
        Guardamos cada texto do aviso e das preferências como apareceu pela primeira vez, com data, hora e
        impressão digital (SHA-256). O HTML de cada um está na versão JSON deste dossiê.
      </p>
      {notices.length === 0 ? <p>Nenhum texto registrado até o fim do período.</p> : null}
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

/** The checkpoints around the period. */
export function DossierCheckpoints({ seals }: Pick<Dossier, 'seals'>) {
  const { before, days, last, consistency } = seals
  return (
    <section>
      <h2>4. Selos</h2>
      <p>
        A cada minuto com novas respostas, um selo resume todas as respostas já dadas (raiz de uma árvore de
        Merkle, RFC 6962) e inclui a impressão digital do selo anterior. Quem anota um selo pode provar depois
        que nada anterior a ele foi alterado, removido ou trocado de lugar.
      </p>
      {last === null ? (
        <p>Nenhum selo neste período.</p>
      ) : (
        <>
          {before === null ? null : (
            <>
              <h3>Último selo antes do período</h3>
              <CheckpointList seals={[before]} />
            </>
          )}
          <h3>Último selo de cada dia</h3>
          <CheckpointList seals={days} />
          {consistency.length === 0 ? null : (
            <p className="quiet">
              {`A versão JSON deste dossiê traz a prova de consistência (RFC 6962, ${consistency.length} valores) entre o último selo antes do período e o último do período.`}
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
          <th scope="col">Gerado em</th>
          <th scope="col" className="n">
            Total de respostas
          </th>
          <th scope="col">Raiz e impressão digital do selo</th>
        </tr>
      </thead>
      <tbody>
        {seals.map((checkpoint) => (
          <tr key={checkpoint.sequence}>
            <th scope="row" className="n">
              {formatNumber(checkpoint.sequence)}
            </th>
            <td>{formatMoment(checkpoint.sealed_at)}</td>
            <td className="n">{formatNumber(checkpoint.tree_size)}</td>
            <td>
              <code>{checkpoint.root}</code>
              <br />
              <code>{checkpoint.hash}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
