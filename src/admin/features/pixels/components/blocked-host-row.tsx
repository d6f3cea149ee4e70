import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { CONTROL } from '#admin/components/field.tsx'
import { IconButton } from '#admin/components/icon-button.tsx'
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
        <select
          aria-label={`Para qual pixel permitir ${blocked.host}`}
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
          className={`${CONTROL} select-arrow min-h-11 w-auto max-w-56 pr-9 text-[0.9375rem]`}
        >
          <option value="">Para qual pixel?</option>
          {pixels.map((pixel) => (
            <option key={pixel.id} value={pixel.id}>
              {pixel.name}
            </option>
          ))}
        </select>
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
