import { Fragment } from 'react'
import { PortalMark } from '#design/portal-mark.tsx'
import { cn } from '../lib/cn.ts'
import { formatDate, formatTimestamp } from '../lib/format.ts'

/** The logo at the width of `className`. */
export function BrandMark({ className }: { className: string }) {
  return (
    <span className={`block [&>svg]:h-auto [&>svg]:w-full ${className}`}>
      <PortalMark />
    </span>
  )
}

/** The product's arch as an icon. */
export function ArchIcon() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M5 20v-9a7 7 0 0 1 14 0v9zM2.5 20h19M12 11v5" />
    </svg>
  )
}

/** A long address breaks after its at sign first; other names break normally. */
export function EmailAddress({ value }: { value: string }) {
  const at = value.lastIndexOf('@') + 1
  return (
    <span className="wrap-anywhere">
      {value.slice(0, at)}
      <wbr />
      {value.slice(at)}
    </span>
  )
}

/** A long domain breaks after a dot first. */
export function HostName({ value }: { value: string }) {
  return (
    <span className="font-mono text-[0.8125rem] wrap-anywhere">
      {value.split(/(?<=\.)/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity of their own.
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  )
}

export function TimeStamp({ value, className }: { value: string; className?: string }) {
  return (
    <time
      dateTime={value}
      title={`${formatTimestamp(value)}, horário de Brasília`}
      className={cn('time-stamp', className)}
    >
      {formatDate(value)}
    </time>
  )
}
