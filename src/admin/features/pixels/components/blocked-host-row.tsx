import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
import { Select } from '#admin/components/select.tsx'
import { formatAgo } from '#admin/lib/format-ago.ts'
import { formatCount } from '#admin/lib/format-count.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { BlockedHost } from '#contract/tag-status.ts'
import { useBlockedHost } from '../api/change-tags.ts'

interface BlockedHostRowProps {
  blocked: BlockedHost
  pixels: readonly Pixel[]
}

export function BlockedHostRow({ blocked, pixels }: BlockedHostRowProps) {
  const { allow, dismiss, isPending } = useBlockedHost(blocked.id, blocked.host)
  const [chosen, setChosen] = useState('')
  const owner = pixels.find((pixel) => pixel.id === blocked.pixel_id)
  const isUnknown = blocked.pixel_id === null
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-2.5 pr-3 pl-4 sm:pl-5">
      <div className="min-w-0 flex-[1_1_16rem] wrap-anywhere">
        <p>
          {isUnknown ? 'Uma tag desconhecida' : <b className="font-semibold">{owner?.name ?? 'Um pixel'}</b>}{' '}
          tentou falar com <span className="font-mono text-sm">{blocked.host}</span>
        </p>
        <p className="text-sm text-text-2">
          {formatCount(blocked.count, 'vez', 'vezes')}, a última {formatAgo(blocked.last_seen_at, Date.now())}
        </p>
      </div>
      {isUnknown ? (
        <Select
          small
          aria-label={`Para qual pixel permitir ${blocked.host}`}
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          options={[['', 'Para qual pixel?'], ...pixels.map(({ id, name }) => [id, name] as const)]}
          className="max-w-56"
        />
      ) : null}
      <Button
        look="outline"
        disabled={isPending || (isUnknown && chosen === '')}
        onClick={() => allow(isUnknown ? chosen : undefined)}
        aria-label={`Permitir ${blocked.host}`}
      >
        Permitir
      </Button>
      <IconButton label={`Ignorar ${blocked.host}`} onClick={dismiss}>
        <X aria-hidden="true" />
      </IconButton>
    </li>
  )
}
