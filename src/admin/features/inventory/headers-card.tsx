import { Card } from '#admin/components/card.tsx'
import { formatMinute } from '#admin/lib/format-date.ts'
import type { HeaderChange } from '#contract/inventory.ts'

/** The headers with which the public page is served, and when they were others. */
export function HeadersCard({ headers }: { headers: readonly HeaderChange[] }) {
  return (
    <Card role="region" aria-labelledby="headers-heading" className="px-4 py-4 sm:px-5">
      <h3 id="headers-heading" className="text-base tracking-tight">
        Cabeçalhos da página
      </h3>
      <p className="text-sm text-pretty text-text-2">
        A impressão digital dos cabeçalhos com que a página é servida, a política de segurança entre eles.
        Muda com as tags; quando muda sem elas, foi outra versão ou configuração do site.
      </p>
      {headers.length === 0 ? <p className="mt-3 text-[0.9375rem]">Nada foi anotado ainda.</p> : null}
      <ol className="mt-2">
        {headers.map(({ hash, since, unasked }) => (
          <li key={since + hash} className="border-t border-line py-2.5 text-[0.9375rem] first:border-t-0">
            {`Desde ${formatMinute(since)}`}
            {unasked ? <b className="font-semibold">, sem mudança de tag</b> : ''}
            <span className="block font-mono text-xs wrap-anywhere text-text-2">{`sha256 ${hash}`}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
