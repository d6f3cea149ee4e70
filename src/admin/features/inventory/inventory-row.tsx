import type { ReactNode } from 'react'
import { Card } from '#admin/components/card.tsx'
import { formatMinute } from '#admin/lib/format-date.ts'
import { openHere } from '#admin/lib/open-here.ts'
import { pixelPath } from '#admin/lib/places.ts'
import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import type { InventoryItem } from '#contract/inventory.ts'
import { PIXEL_TYPE_LABELS } from '#contract/pixel.ts'
import { describeFile } from './describe-file.ts'
import { ReasonNote } from './reason-note.tsx'

interface InventoryRowProps {
  item: InventoryItem
  checksFiles: boolean
}

/** One script: who authorised it, why, whom it may talk to, and what its files are. */
export function InventoryRow({ item, checksFiles }: InventoryRowProps) {
  const path = pixelPath(item.pixel_id)
  const kind = item.vendors.length === 0 ? PIXEL_TYPE_LABELS[item.type] : item.vendors.join(', ')
  return (
    <li>
      <Card className="px-4 py-4 sm:px-5">
        <h3 className="text-base tracking-tight wrap-anywhere">
          <a
            href={path}
            onClick={(event) => openHere(event, path)}
            className="inline-flex min-h-11 items-center underline-offset-4 hover:underline"
          >
            {item.name}
          </a>
        </h3>
        <p className="text-sm text-text-2">
          {`${kind}. ${TAG_CATEGORY_LABELS[item.category]}. ${placeOf(item)}`}
        </p>
        <dl className="mt-3 grid gap-x-5 gap-y-2.5 text-[0.9375rem] sm:grid-cols-[9rem_minmax(0,1fr)]">
          <Fact term="Autorizada por">
            {item.authorised === null
              ? 'Não se sabe: é de antes do que o histórico guarda.'
              : `${item.authorised.by}, em ${formatMinute(item.authorised.at)}`}
          </Fact>
          <Fact term="Por quê">
            <ReasonNote item={item} />
          </Fact>
          <Fact term="Endereços">{item.hosts.length === 0 ? 'Nenhum.' : item.hosts.join(', ')}</Fact>
          <Fact term="Integridade">
            {item.own_files.length + item.vendor_files.length === 0 ? 'Nenhum arquivo conhecido.' : null}
            <ul className="grid gap-2">
              {item.own_files.map(({ path: file, sha256 }) => (
                <li key={file}>
                  Nosso, servido por nós: <span className="font-mono text-sm">{file}</span>
                  <Hash value={sha256} />
                </li>
              ))}
              {item.vendor_files.map((file) => (
                <li key={file.url}>
                  Da plataforma: <span className="font-mono text-sm">{file.url}</span>
                  <span className="block text-sm text-text-2">{describeFile(file, checksFiles)}</span>
                  {file.sha256 === null ? null : <Hash value={file.sha256} />}
                </li>
              ))}
            </ul>
          </Fact>
        </dl>
      </Card>
    </li>
  )
}

function placeOf({ told_by, runs_in, on_page_since, in_html }: InventoryItem): string {
  if (on_page_since === null)
    return in_html ? 'No HTML da página inicial, para todos.' : 'Ligada, mas fora da página agora.'
  const since = `desde ${formatMinute(on_page_since)}`
  if (!told_by.includes('browser')) return `Só pelo nosso servidor, ${since}.`
  return runs_in === 'isolated'
    ? `Isolada, num quadro fechado, como está ${since}.`
    : `Na página como está ${since}.`
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-text-2">{term}</dt>
      <dd className="min-w-0 wrap-anywhere max-sm:mb-1">{children}</dd>
    </>
  )
}

function Hash({ value }: { value: string }) {
  return <span className="block font-mono text-xs text-text-2">{`sha256 ${value}`}</span>
}
