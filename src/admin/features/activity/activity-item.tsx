import { Cog, KeyRound, Mail, Tags, UserRound } from 'lucide-react'
import { EmailAddress } from '#admin/components/email-address.tsx'
import { openHere } from '#admin/lib/open-here.ts'
import { pixelPath } from '#admin/lib/places.ts'
import type { ActivityEvent, ActivityKind } from '#contract/activity.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'

const ICONS: Record<ActivityKind, typeof Cog> = {
  pixels: Tags,
  people: UserRound,
  sign_ins: KeyRound,
  newsletter: Mail,
  system: Cog,
}
const TIME = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SITE_TIME_ZONE,
  hour: '2-digit',
  minute: '2-digit',
})

export function ActivityItem({ event }: { event: ActivityEvent }) {
  const Icon = ICONS[event.kind]
  const path = event.pixel_id === undefined ? undefined : pixelPath(event.pixel_id)
  return (
    <li className="flex items-start gap-x-3 border-t border-line px-4 py-3 sm:gap-x-4 sm:px-5">
      <time dateTime={event.at} className="w-11 flex-none pt-0.5 text-sm text-text-2 tabular-nums">
        {TIME.format(new Date(event.at)).replace(':', 'h')}
      </time>
      <span
        aria-hidden="true"
        className="grid size-7 flex-none place-items-center rounded-[14px_14px_4px_4px] bg-[#e9ebe2] text-text-2 [&_svg]:size-4"
      >
        <Icon />
      </span>
      <p className="min-w-0 flex-1 pt-0.5 text-[0.9375rem] wrap-anywhere">
        <b className="font-semibold">
          <EmailAddress value={event.by} />
        </b>{' '}
        {event.text}
      </p>
      {path === undefined ? null : (
        <a
          href={path}
          aria-label={`Abrir o pixel: ${event.text}`}
          onClick={(click) => openHere(click, path)}
          className="-my-2 inline-flex min-h-11 flex-none items-center px-1 text-sm text-text-2 underline underline-offset-4 hover:text-ink"
        >
          Abrir
        </a>
      )}
    </li>
  )
}
